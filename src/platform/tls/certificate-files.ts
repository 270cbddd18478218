// Certificate and key from files that somebody else maintains (a company's authority, an ACME client); read at the start and on SIGHUP.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import type { CertificateSource, TlsIdentity } from './certificates.ts';

const dayMs = 86_400_000;
/** How long before the end of a certificate the log begins to ask for a new one, once a day. */
const warnBeforeMs = 30 * dayMs;

/**
 * One pair for all listeners. `certificate` may contain the chain after the server's own certificate. Files that cannot be read, are
 * damaged or do not belong together are rejected. An expired certificate is rejected only if a better one is in use, because doors must
 * work even after a start with a wrong clock (it is logged).
 */
export function createCertificateFiles(options: {
  readonly certificate: string;
  readonly key: string;
  readonly clock: Clock;
  readonly log: Log;
}): CertificateSource {
  const { clock, log } = options;
  let ends: number | undefined;
  let warnAt = 0;

  const outdated = (certificate: X509Certificate) =>
    clock.now() > Date.parse(certificate.validTo) || clock.now() < Date.parse(certificate.validFrom);

  return {
    async open() {
      const { cert, key, certificate } = await readIdentity(options);
      if (outdated(certificate)) {
        const sentence = `the certificate ${options.certificate} is valid from ${certificate.validFrom} to ${certificate.validTo}, which is not now`;
        if (ends !== undefined && clock.now() <= ends) throw new Error(sentence);
        log.error({ code: 'tls-expired', file: options.certificate }, `${sentence}: clients will refuse it`);
      }
      ends = Date.parse(certificate.validTo);
      const { subject, issuer, validTo, fingerprint256 } = certificate;
      log.info(
        { code: 'tls', file: options.certificate, subject, issuer, validTo, fingerprint: fingerprint256 },
        'the certificate for TLS',
      );
      return { https: { cert, key }, mqtts: { cert, key } };
    },
    due() {
      const now = clock.now();
      if (ends !== undefined && now > ends - warnBeforeMs && now >= warnAt) {
        warnAt = now + dayMs;
        const days = Math.floor((ends - now) / dayMs);
        log.warn({ code: 'tls-ends', file: options.certificate, days }, 'the certificate ends soon: replace the files and send SIGHUP');
      }
      return undefined;
    },
  };
}

/** Rejects with one sentence when a file cannot be read, is damaged, or the two do not belong together. Does not check dates. */
export async function readIdentity(files: {
  readonly certificate: string;
  readonly key: string;
}): Promise<TlsIdentity & { readonly certificate: X509Certificate }> {
  // One after the other, so that the error always names the certificate when both files are missing.
  const cert = await readPem(files.certificate, 'certificate');
  const key = await readPem(files.key, 'key');
  return { cert, key, certificate: parse(files, { cert, key }) };
}

async function readPem(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`the ${what} ${file} for TLS cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}

/** The server's own certificate, if it and the key are valid and belong together. */
function parse(files: { readonly certificate: string; readonly key: string }, { cert, key }: TlsIdentity): X509Certificate {
  const certificate = attempt(`${files.certificate} holds no certificate in PEM form`, () => new X509Certificate(cert));
  const isLocked = /ENCRYPTED/.test(key);
  const privateKey = attempt(
    isLocked ? `the key ${files.key} has a passphrase, which latchd cannot ask for` : `${files.key} holds no private key in PEM form`,
    () => createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(
      `the key ${files.key} does not belong to the certificate ${files.certificate} (the server's own must be the first in the file)`,
    );
  }
  // Rejects what TLS itself does not accept: a damaged chain, a weak key.
  attempt(`TLS refuses ${files.certificate} with ${files.key}`, () => createSecureContext({ cert, key }));
  return certificate;
}

function attempt<T>(sentence: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Error(`${sentence}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
