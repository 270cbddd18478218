// A link with a secret: as a QR code for a camera, and as a text to copy.
import { SecretField } from '../../components/secret-dialog.tsx';
import { useFormats } from '../../format.ts';
import { useTexts } from '../texts.ts';
import type { SecretLink } from '../types.ts';

export function LinkToScan({ url, qr, expiresDate }: SecretLink) {
  const { link } = useTexts();
  const { dateTime } = useFormats();
  return (
    <>
      <img class="qr" src={`data:image/svg+xml,${encodeURIComponent(qr)}`} alt={link.qr} />
      <SecretField label={link.label} value={url} />
      <p class="hint">{link.validUntil(dateTime(expiresDate))}</p>
    </>
  );
}
