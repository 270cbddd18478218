// Checks whether clients and locks would accept the certificates of the TLS listeners, today and next month.

import type { X509Certificate } from 'node:crypto';
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Config, credentialsPrefix } from '../../app/config.ts';
import { certificateNames } from '../../platform/mdns/machine-names.ts';
import { readIdentity } from '../../platform/tls/certificate-files.ts';
import { codeOf, type FileLayer } from '../../stores/files/files.ts';
import { type AddressesOf, checkGivenNames, checkOwnNames } from './certificate-names.ts';
import { cannotTell, fail, good, type Verdict, warn } from './verdict.ts';

const dayMs = 86_400_000;
/** For the operator's own certificates: the daemon's log begins to ask for a new one at the same time. */
const warnBeforeMs = 30 * dayMs;
/** The gateway's own authority is valid for twenty years, and its successor must be installed in every lock. */
const authorityWarnBeforeMs = 365 * dayMs;

interface Around {
  readonly files: FileLayer;
  readonly now: number;
  /** The user who owns the data directory, as whom the daemon will run. */
  readonly owner: number | undefined;
  /** The current user is neither root nor that user. */
  readonly isOutsider: boolean;
  readonly addressesOf?: AddressesOf | undefined;
}

export async function checkCertificates(config: Config, around: Around): Promise<readonly Verdict[]> {
  const { https, mqtts, tls, dataDir } = config;
  const { files, now, isOutsider } = around;
  if (!https.enabled && !mqtts.enabled) return [good('nothing is encrypted, so there are none')];
  const ownNames = certificateNames(config.tlsNames, config.discovery.enabled);
  if (tls !== 'auto') return checkGiven(tls, ownNames, around);
  const folder = `${dataDir}/tls`;
  const names = await files.readdir(folder).catch((error: unknown): string[] => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return [good(`the first start makes an authority in ${folder}`)];

  const authority = { certificate: `${folder}/ca.crt`, key: `${folder}/ca.key` };
  const remedy = `put ${folder} back from a backup: locks and clients trust this authority alone`;
  const [ofAuthority] = await checkPair('the own authority', authority, {
    ...{ now, isOutsider, warnBeforeMs: authorityWarnBeforeMs, remedy },
  });
  const verdicts = [ofAuthority];
  for (const certificate of ['server.crt', 'locks.crt']) {
    if (!names.includes(certificate)) continue;
    const pair = { certificate: `${folder}/${certificate}`, key: `${folder}/server.key` };
    const anew = `remove ${pair.certificate} and restart: it is made anew`;
    const [verdict, found] = await checkPair(certificate, pair, { now, isOutsider, warnBeforeMs, remedy: anew });
    verdicts.push(verdict, ...(found ? checkOwnNames(certificate, found, ownNames) : []));
  }
  return verdicts;
}

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

async function checkGiven(
  pair: Pair,
  ownNames: readonly string[],
  { now, owner, isOutsider, addressesOf }: Around,
): Promise<readonly Verdict[]> {
  const remedy = 'replace the files, and let the daemon read them: sudo systemctl restart latchd';
  const look = async (at: Pair): Promise<readonly Verdict[]> => {
    const [verdict, found] = await checkPair('the certificate', at, { now, isOutsider, warnBeforeMs, remedy });
    return found ? [verdict, await checkGivenNames(found, ownNames, addressesOf)] : [verdict];
  };
  const key = await stat(pair.key).catch((error: unknown) => codeOf(error));
  if (typeof key !== 'string') return [...(await look(pair)), ...checkKeyMode(pair.key, key, owner)];
  // systemd passes such a key only while the service runs; before that, it is where root put it.
  const isHandedOver = /^\/run\/credentials\/[^/]+\/[^/]+$/.test(pair.key) || pair.key.startsWith(credentialsPrefix);
  if (!isHandedOver) return look(pair);
  if (process.getuid?.() !== 0) return [cannotTell(`${pair.key} is there for the daemon alone`)];
  return look({ ...pair, key: `/etc/credstore/${basename(pair.key)}` });
}

function checkKeyMode(path: string, { uid, mode }: Stats, owner: number | undefined): readonly Verdict[] {
  if ((mode & 0o007) !== 0) return [fail(`the key ${path} may be read by everybody`, `sudo chmod o= ${path}`)];
  // Members of groups are not checked.
  const isUnreadable = owner !== undefined && owner !== 0 && uid !== owner && (mode & 0o040) === 0 && !path.startsWith('/run/credentials/');
  return isUnreadable
    ? [fail(`the daemon's user cannot read the key ${path}`, `sudo chown root:latchd ${path} && sudo chmod 640 ${path}`)]
    : [];
}

/** Resolves also with the certificate if it is valid now. */
async function checkPair(
  what: string,
  pair: Pair,
  {
    now,
    isOutsider,
    warnBeforeMs,
    remedy,
  }: { readonly now: number; readonly isOutsider: boolean; readonly warnBeforeMs: number; readonly remedy: string },
): Promise<readonly [Verdict, X509Certificate?]> {
  let certificate: X509Certificate;
  try {
    certificate = (await readIdentity(pair)).certificate;
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    return [isOutsider && ['EACCES', 'EPERM'].includes(codeOf(cause)) ? cannotTell(message) : fail(message, remedy)];
  }
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  const seen = `${what}, ${pair.certificate}, fits its key and is valid until ${new Date(to).toISOString().slice(0, 10)}`;
  if (now > to) return [fail(`${what}, ${pair.certificate}, ended on ${certificate.validTo}`, `${remedy}; or is the clock wrong?`)];
  if (now < from) return [fail(`${what}, ${pair.certificate}, begins on ${certificate.validFrom}`, `is the clock wrong? else ${remedy}`)];
  return [to - now < warnBeforeMs ? warn(seen, remedy) : good(seen), certificate];
}
