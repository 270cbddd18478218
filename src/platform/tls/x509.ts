// Makes keys and certificates (RFC 5280). Only this file names the X.509 library, which is loaded when something must be made.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';

/** First and last moment, in epoch milliseconds; certificates store whole seconds. */
export interface CertificateValidity {
  readonly from: number;
  readonly to: number;
}

const curve = { name: 'ECDSA', namedCurve: 'P-256' };
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };

/** A new EC P-256 key, PKCS #8 PEM. */
export function makeKey(): string {
  return generateKeyPairSync('ec', { namedCurve: curve.namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A certificate that may sign server certificates, but no further authority (path length 0), PEM. */
export async function makeAuthority(options: { readonly key: string; readonly name: string } & CertificateValidity): Promise<string> {
  const { key, name, from, to } = options;
  const x509 = await library();
  const publicKey = publicKeyOf(key);
  const subject = [{ CN: [name] }];
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ subject, issuer: subject, publicKey, signingKey: await signingKeyOf(key), signingAlgorithm },
    ...{ serialNumber: newSerialNumber(), notBefore: new Date(from), notAfter: new Date(to) },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
  return certificate.toString('pem');
}

/**
 * A TLS server certificate for host names and IP addresses, PEM. It has both key identifiers, which RFC 5280 section 4.2.1.1 requires and
 * strict clients check (OpenSSL's -x509_strict, the default of Python since 3.13).
 */
export async function makeServerCertificate(
  options: {
    readonly key: string;
    readonly authority: { readonly certificate: string; readonly key: string };
    /** The first one is also the common name, because some firmware looks there. */
    readonly names: readonly string[];
    /** It may also show that a client is who it says, which no other certificate of ours may. */
    readonly isForClient?: boolean;
  } & CertificateValidity,
): Promise<string> {
  const { key, authority, names, isForClient = false, from, to } = options;
  const x509 = await library();
  const publicKey = publicKeyOf(key);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [(names[0] ?? 'latchd').slice(0, 64)] }],
    issuer: new x509.X509Certificate(authority.certificate).subjectName,
    ...{ publicKey, signingKey: await signingKeyOf(authority.key), signingAlgorithm },
    ...{ serialNumber: newSerialNumber(), notBefore: new Date(from), notAfter: new Date(to) },
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, ...(isForClient ? [x509.ExtendedKeyUsage.clientAuth] : [])]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(publicKeyOf(authority.key)),
    ],
  });
  return certificate.toString('pem');
}

async function library() {
  // The library needs this polyfill of Reflect and does not bring it.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

function publicKeyOf(key: string): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

function signingKeyOf(key: string): Promise<webcrypto.CryptoKey> {
  const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', pkcs8, curve, false, ['sign']);
}

/** 127 random bits, positive and never 0 (RFC 5280 section 4.1.2.2). */
function newSerialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}
