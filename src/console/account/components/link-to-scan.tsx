// A link with a secret: as a QR code for a camera, and as a text to copy.
import { Callout } from '../../components/callout.tsx';
import { SecretField } from '../../components/secret-dialog.tsx';
import { useFormats } from '../../format.ts';
import { useTexts } from '../texts.ts';
import type { SecretLink } from '../types.ts';

export function LinkToScan({ url, qr, expiresDate }: SecretLink) {
  const { link } = useTexts();
  const { dateTime } = useFormats();
  const { hostname } = new URL(url);
  return (
    <>
      {isLoopback(hostname) && (
        <Callout kind="warning">
          <p>
            <strong>{link.leadsNowhere(hostname)}</strong>
          </p>
          <p>{link.howToBeReached}</p>
        </Callout>
      )}
      <img class="qr" src={`data:image/svg+xml,${encodeURIComponent(qr)}`} alt={link.qr} />
      <SecretField label={link.label} value={url} />
      <p class="hint">{link.validUntil(dateTime(expiresDate))}</p>
    </>
  );
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || hostname.startsWith('127.');
}
