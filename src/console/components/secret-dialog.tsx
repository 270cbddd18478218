// Shows a secret once, with a button to copy it and the warning that it is not shown again.
import { useId, useState } from 'preact/hooks';
import { useStrings } from '../app.ts';
import { Button } from './button.tsx';
import { Callout } from './callout.tsx';
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
  const { common, secret } = useStrings();
  const [isCopied, setCopied] = useState(false);
  const id = useId();
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="secret">
        <input id={id} class="code" readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
        {/* Browsers have a clipboard for pages over https and of this machine alone; the text can be selected on others. */}
        {navigator.clipboard && (
          <Button label={secret.copy(label)} onClick={() => void copy().catch(() => undefined)}>
            {isCopied ? common.copied : common.copy}
          </Button>
        )}
      </div>
    </div>
  );
}
