// Copies a text. Browsers have a clipboard for pages over https and of this machine alone; on others there is no button, and the text can be
// selected.
import { useState } from 'preact/hooks';
import { useStrings } from '../app.ts';
import { Button } from './button.tsx';

export function CopyButton({ label, value }: { readonly label: string; readonly value: string }) {
  const { common, secret } = useStrings();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  if (!navigator.clipboard) return null;
  return (
    <Button label={secret.copy(label)} onClick={() => void copy().catch(() => undefined)}>
      {isCopied ? common.copied : common.copy}
    </Button>
  );
}
