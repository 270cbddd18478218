// Lines for the configuration, in a box from which they are copied as they are.
import { CopyButton } from './copy-button.tsx';

export function LinesToCopy({ label, lines }: { readonly label: string; readonly lines: string }) {
  return (
    <div class="lines-to-copy">
      <pre>{lines}</pre>
      <CopyButton label={label} value={lines} />
    </div>
  );
}
