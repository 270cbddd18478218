// A page without the layout around it, for a person who is not signed in yet.
import type { ComponentChildren } from 'preact';
import { PreferencePicks } from '../preference-picks.tsx';
import { Icon } from './icon.tsx';

export function Alone({ children }: { children: ComponentChildren }) {
  return (
    <main class="alone">
      <div class="panel">
        <p class="brand">
          <Icon name="lock" />
          latchd
        </p>
        {children}
      </div>
      <PreferencePicks />
    </main>
  );
}
