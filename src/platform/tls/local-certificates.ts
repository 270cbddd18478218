// Certificates from latchd's own authority, stored in `server.crt` and `locks.crt`: issued again when they expire or when the machine's
// names change.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import { writeDurably } from '../durable-text.ts';
import type { CertificateSource, Identities, TlsIdentity } from './certificates.ts';
import { type Authority, believableNow, findAuthority, fingerprintOf, newAuthority, openAuthority, validFrom } from './local-ca.ts';
import { type CertificateValidity, makeKey, makeServerCertificate } from './x509.ts';

const dayMs = 86_400_000;
const serverDays = 397;
const renewBeforeMs = 60 * dayMs;

interface Open {
  readonly authority: Authority;
  readonly key: string;
  readonly identities: Identities;
}

/**
 * Two certificates with one key, because their readers want opposite things. The one for people's programs is valid for at most 397 days
 * (Apple's systems reject a server certificate of more than 825 days whoever signed it, public authorities end at 398) and is renewed 60
 * days before its end. The one for locks, which may have a wrong clock or none, is valid from 2020 to the end of the authority. A short
 * life would protect nothing here, since the key lies beside the authority's own.
 * @param names reads the names and addresses of this machine
 * @param isShared the authority is that of several nodes (`shared-authority.ts`): none is made here, and until there is one the certificates
 *   are of one that nobody knows
 */
export function createOwnCertificates(options: {
  readonly folder: string;
  readonly names: () => readonly string[];
  readonly isShared?: boolean;
  readonly clock: Clock;
  readonly log: Log;
}): CertificateSource {
  const { folder, names, isShared = false, clock, log } = options;
  let open: Open | undefined;

  /** What is wrong with a certificate, if anything. Without `renewMs` it ignores the dates. */
  function flaw(cert: string, { authority, key }: Pick<Open, 'authority' | 'key'>, renewMs?: number): string | undefined {
    const issuer = new X509Certificate(authority.certificate);
    const certificate = new X509Certificate(cert);
    if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return 'it is not of this authority';
    if (!certificate.checkPrivateKey(createPrivateKey(key))) return 'it is not of this key';
    const now = believableNow(clock);
    if (renewMs !== undefined && now > Date.parse(certificate.validTo) - renewMs) return 'it ends soon';
    // The clock was ahead when the certificate was issued.
    if (renewMs !== undefined && now < Date.parse(certificate.validFrom)) return 'it begins later';
    const missing = names().filter((name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) === undefined);
    return missing.length === 0 ? undefined : `it lacks ${missing.join(', ')}`;
  }

  async function openKey(): Promise<string> {
    const file = `${folder}/server.key`;
    try {
      const key = await readFile(file, 'utf8');
      createPrivateKey(key);
      return key;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        log.warn({ code: 'tls-key-made', file, err: error }, 'a key for TLS cannot be used; a new one was made');
      const key = makeKey();
      await keep(file, key, 0o600);
      return key;
    }
  }

  async function openIdentity(
    name: string,
    issuing: Pick<Open, 'authority' | 'key'>,
    validity: CertificateValidity,
    renewMs?: number,
  ): Promise<TlsIdentity> {
    const file = `${folder}/${name}`;
    let reason = 'there is none';
    try {
      const cert = await readFile(file, 'utf8');
      reason = flaw(cert, issuing, renewMs) ?? '';
      if (reason === '') return { cert, key: issuing.key };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') reason = 'it cannot be read';
    }
    const cert = await makeServerCertificate({ ...issuing, names: names(), ...validity });
    const { validTo, subjectAltName } = new X509Certificate(cert);
    log.info({ code: 'tls-issued', file, reason, validTo, names: subjectAltName }, 'a certificate was issued');
    await keep(file, cert, 0o644);
    return { cert, key: issuing.key };
  }

  /** A disk that accepts no writes must not stop a listener: the new certificate also works from memory. */
  async function keep(file: string, text: string, mode: 0o600 | 0o644): Promise<void> {
    try {
      await writeDurably(file, text, mode);
    } catch (error) {
      log.error(
        { code: 'tls-not-kept', file, err: error },
        'a file for TLS cannot be written; it is in use, and made anew at the next start',
      );
    }
  }

  /** For listeners that answer before the authority is known. */
  async function provisional(): Promise<Identities> {
    const key = makeKey();
    const from = believableNow(clock) - dayMs;
    const issuing = { authority: await newAuthority(clock), key, names: names() };
    const identity = { cert: await makeServerCertificate({ ...issuing, from, to: from + serverDays * dayMs }), key };
    return { https: identity, mqtts: identity };
  }

  return {
    async open() {
      const authority = await (isShared ? findAuthority : openAuthority)(folder, { clock, log });
      if (authority === undefined) return provisional();
      const key = await openKey();
      const ends = Date.parse(new X509Certificate(authority.certificate).validTo);
      // A day earlier, for clocks that are a little slow.
      const from = believableNow(clock) - dayMs;
      const forPeople = { from, to: from + serverDays * dayMs };
      const identities = {
        https: await openIdentity('server.crt', { authority, key }, forPeople, renewBeforeMs),
        mqtts: await openIdentity('locks.crt', { authority, key }, { from: validFrom, to: ends }),
      };
      if (open?.authority.certificate !== authority.certificate) {
        const fingerprint = fingerprintOf(authority.certificate);
        log.info(
          { code: 'tls', file: `${folder}/ca.crt`, fingerprint },
          'clients and locks trust the authority of this fingerprint (SHA-256)',
        );
        if (believableNow(clock) > ends)
          log.error({ code: 'tls-expired', file: `${folder}/ca.crt` }, 'the authority has ended, or the clock is wrong');
      }
      open = { authority, key, identities };
      return identities;
    },
    due() {
      if (open === undefined) return undefined;
      return flaw(open.identities.https.cert, open, renewBeforeMs) ?? flaw(open.identities.mqtts.cert, open);
    },
  };
}
