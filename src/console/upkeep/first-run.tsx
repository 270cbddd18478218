// What is to be done at a gateway without a lock. What is done is told by the gateway, not by what was clicked.
import type { ComponentChildren } from 'preact';
import type { Page } from '../api/client.ts';
import type { GatewayStatus } from '../api/types.ts';
import { Icon } from '../components/icon.tsx';
import { usePolled } from '../components/polled.ts';
import { useTexts } from './texts.ts';

const askEveryMs = 5_000;

export function FirstRun() {
  const { firstRun: texts } = useTexts();
  const { value: status } = usePolled<GatewayStatus>('gateway/status', askEveryMs);
  const { value: accounts } = usePolled<Page<object>>('gateway/accounts?pageSize=2', askEveryMs);
  if (status === undefined || accounts === undefined) return null;
  const { reach, accounts: people, locks, simulated } = texts;
  const isEncrypted = status.listeners['https'] !== undefined;
  return (
    <section class="upkeep">
      <h2>{texts.title}</h2>
      <p>{texts.intro}</p>
      <ol class="first-run">
        <Step title={reach.title} isDone={isEncrypted}>
          {!isEncrypted && (
            <p>
              {reach.text} <code>{reach.restart}</code>
            </p>
          )}
          {isEncrypted && (
            <p>
              {reach.trust}{' '}
              <a href="ca.crt" download>
                {reach.certificate}
              </a>
            </p>
          )}
        </Step>
        <Step title={people.title} isDone={accounts.total > 1}>
          <p>
            {people.text} <a href="#/accounts">{people.link}</a>
          </p>
        </Step>
        <Step title={locks.title} isDone={status.locks > 0}>
          <p>
            {locks.text} <a href="#/pairing">{locks.pairing}</a> · <a href="#/registered">{locks.register}</a>
          </p>
        </Step>
      </ol>
      <h3>{simulated.title}</h3>
      <p>
        {simulated.text} <code>{simulated.command}</code>
      </p>
    </section>
  );
}

function Step({ title, isDone, children }: { readonly title: string; readonly isDone: boolean; readonly children: ComponentChildren }) {
  const { firstRun } = useTexts();
  return (
    <li>
      <h3>
        {isDone && <Icon name="check" />} {title} <small>({isDone ? firstRun.done : firstRun.open})</small>
      </h3>
      {children}
    </li>
  );
}
