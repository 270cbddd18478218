// The messages of `toasts.ts`. They have a row of their own below the page, so that they cover nothing.
import { useEffect } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

export function ToastList() {
  const { toasts } = useApp();
  const { common } = useStrings();
  const { value: list } = toasts.list;
  // The page has got lower: what has the focus stays in sight.
  useEffect(() => document.activeElement?.scrollIntoView({ block: 'nearest' }), [list]);
  return (
    <div class="toasts" role="status" aria-live="polite" aria-atomic="false">
      {list.map(({ id, kind, text, undo }) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: its time stands still while somebody is at it; nothing is done by that
        <div
          key={id}
          class={`toast ${kind}`}
          onMouseEnter={() => toasts.hold(id, true)}
          onMouseLeave={() => toasts.hold(id, false)}
          onFocusIn={() => toasts.hold(id, true)}
          onFocusOut={() => toasts.hold(id, false)}
        >
          <p class="toast-text">{text}</p>
          {undo && (
            <Button kind="quiet" onClick={undo}>
              {common.undo}
            </Button>
          )}
          <button type="button" class="button quiet square" aria-label={common.dismiss} onClick={() => toasts.dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
