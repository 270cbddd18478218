// Shows a secret once, with a button to copy it and the warning that it is not shown again.
import { useId } from 'preact/hooks';
import { useStrings } from '../app.ts';
import { Button } from './button.tsx';
import { Callout } from './callout.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

interface Secret {
  readonly label: string;
  readonly value: string;
}

interface SecretDialogProps {
  readonly title: string;
  /** What the secret is for. */
  readonly text: string;
  readonly secrets: readonly Secret[];
  readonly onClose: () => void;
}

export function SecretDialog({ title, text, secrets, onClose }: SecretDialogProps) {
  const { secret } = useStrings();
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="form">
        <p>{text}</p>
        {secrets.map((one) => (
          <SecretField key={one.label} {...one} />
        ))}
        <Callout kind="warning">{secret.once}</Callout>
        <div class="buttons">
          <Button kind="main" onClick={onClose}>
            {secret.saved}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** A text to copy. */
export function SecretField({ label, value }: Secret) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="secret">
        <input id={id} class="code" readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
        <CopyButton label={label} value={value} />
      </div>
    </div>
  );
}
