// The certificate by which nodes know each other. It lives as long as its process, in memory: no file has its key.
import { X509Certificate } from 'node:crypto';
import { type Authority, validFrom } from './local-ca.ts';
import { makeKey, makeServerCertificate } from './x509.ts';

/** TLS settings for both ends of a connection between nodes, PEM. `name`: of this process, as a host name. Only TLS 1.3 is spoken. */
export async function makePeerIdentity(authority: Authority, name: string) {
  const key = makeKey();
  // Nodes whose clocks are wrong still know each other.
  const to = Date.parse(new X509Certificate(authority.certificate).validTo);
  const cert = await makeServerCertificate({ key, authority, names: [name], isForClient: true, from: validFrom, to });
  return { cert, key, ca: authority.certificate, minVersion: 'TLSv1.3' as const };
}
