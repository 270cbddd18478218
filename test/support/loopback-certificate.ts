import { makeAuthority, makeKey, makeServerCertificate } from '../../src/platform/tls/x509.ts';

const validity = { from: Date.UTC(2020, 0, 1), to: Date.UTC(2040, 0, 1) };

/** A certificate for 127.0.0.1, its key, and the authority (`ca`) that a client must trust. All are PEM. */
export async function makeLoopbackCertificate(): Promise<{ readonly key: string; readonly ca: string; readonly cert: string }> {
  const key = makeKey();
  const ca = await makeAuthority({ key, name: 'test', ...validity });
  const cert = await makeServerCertificate({ key, authority: { certificate: ca, key }, names: ['127.0.0.1'], ...validity });
  return { key, ca, cert };
}
