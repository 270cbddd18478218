// A button, and a link that looks like one.
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  readonly children: ComponentChildren;
  /** `main`: at most once on a page or in a dialog; `danger`: it removes something. */
  readonly kind?: 'main' | 'plain' | 'danger' | 'quiet';
  readonly icon?: IconName;
  readonly type?: 'button' | 'submit';
  /** Its action is under way: it says so and cannot be pressed again, but keeps the focus. */
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly onClick?: () => void;
  /** What a screen reader says, if the text alone does not distinguish this button from others. */
  readonly label?: string | undefined;
}

export function Button({ children, kind = 'plain', icon, type = 'button', busy = false, disabled = false, onClick, label }: ButtonProps) {
  return (
    <button
      type={type}
      class={`button ${kind}`}
      aria-busy={busy}
      aria-disabled={busy}
      aria-label={label}
      disabled={disabled}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.();
      }}
    >
      {busy ? <span class="spinner" /> : icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}
