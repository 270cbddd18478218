// The messages of `toasts.ts`.
import { useApp, useStrings } from '../app.ts';
import { Icon } from './icon.tsx';

export function ToastList() {
  const { toasts } = useApp();
  const { common } = useStrings();
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.list.value.map(({ id, kind, text }) => (
        <div key={id} class={`toast ${kind}`}>
          <p class="toast-text">{text}</p>
          <button type="button" class="button quiet square" aria-label={common.dismiss} onClick={() => toasts.dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
