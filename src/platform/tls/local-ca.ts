// latchd's own certificate authority: made once, completely or not at all, and never again. Locks are built to trust exactly this one, so a
// damaged or missing file stops the start instead of making a new one.
import { createHash, createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type Clock, earliestNow } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import { renameDurably, writeDurably } from '../durable-text.ts';
import { makeAuthority, makeKey } from './x509.ts';

/** All certificates are valid from here on: a lock whose clock starts at the build date of its firmware must accept them. */
export const validFrom = Date.UTC(2020, 0, 1);
const twentyYearsMs = 20 * 365.25 * 86_400_000;

export interface Authority {
  readonly certificate: string;
  readonly key: string;
}

/** The wall clock, or the earliest plausible time if the clock shows an earlier one: certificates are dated by it. */
export function believableNow(clock: Clock): number {
  return Math.max(clock.now(), earliestNow);
}

/** SHA-256 of the certificate in the form that clients show, AB:CD:… */
export function fingerprintOf(certificate: string): string {
  const digest = createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex').toUpperCase();
  return digest.match(/../g)?.join(':') ?? '';
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
}

/** As `findAuthority`, but makes both files if the folder is missing or empty. */
export async function openAuthority(folder: string, surroundings: Surroundings): Promise<Authority> {
  const found = await findAuthority(folder, surroundings);
  if (found !== undefined) return found;
  const made = await newAuthority(surroundings.clock);
  await storeAuthority(folder, made);
  surroundings.log.info(
    { code: 'tls-authority-made', file: `${folder}/ca.crt` },
    'an own certificate authority was made; back its folder up',
  );
  return made;
}

/**
 * Reads `ca.crt` and `ca.key` in the folder; undefined if the folder is missing or empty. Rejects with one sentence that names the file and
 * says what to do.
 */
export async function findAuthority(folder: string, { log }: Pick<Surroundings, 'log'>): Promise<Authority | undefined> {
  if ((await namesIn(folder)).length === 0) return undefined;
  // The rights may be too wide after a restore, for instance; if this user may not change them, that is for the folder's owner to decide.
  await chmod(folder, 0o700).catch((error: unknown) =>
    log.warn({ code: 'tls-folder-open', folder, err: error }, 'the folder of the TLS keys should be open to its owner alone'),
  );
  const certificate = await read(`${folder}/ca.crt`, folder);
  const key = await read(`${folder}/ca.key`, folder);
  const parsed = sound(`${folder}/ca.crt`, folder, () => new X509Certificate(certificate));
  const privateKey = sound(`${folder}/ca.key`, folder, () => createPrivateKey(key));
  if (!parsed.ca || !parsed.checkPrivateKey(privateKey))
    throw new Error(`${folder}/ca.key does not belong to ${folder}/ca.crt: ${remedy(folder)}`);
  return { certificate, key };
}

/** The certificate that clients are to trust, PEM. Rejects with one sentence that names the file and says what to do. */
export function readAuthority(folder: string): Promise<string> {
  return read(`${folder}/ca.crt`, folder);
}

export async function newAuthority(clock: Clock): Promise<Authority> {
  const key = makeKey();
  // People who trust several authorities distinguish them by it.
  const name = `latchd ${hostname().slice(0, 40)} ${randomBytes(4).toString('hex')}`;
  return { certificate: await makeAuthority({ key, name, from: validFrom, to: believableNow(clock) + twentyYearsMs }), key };
}

/** Makes the folder under another name first, then renames it, so that half a folder never looks complete. */
export async function storeAuthority(folder: string, { certificate, key }: Authority): Promise<void> {
  const making = `${folder}.new`;
  try {
    await rm(making, { recursive: true, force: true });
    await mkdir(making, { mode: 0o700 });
    await writeDurably(`${making}/ca.key`, key, 0o600);
    await writeDurably(`${making}/ca.crt`, certificate, 0o644);
    await renameDurably(making, folder);
  } catch (error) {
    throw new Error(`latchd cannot make its certificate authority in ${folder} (${(error as NodeJS.ErrnoException).code ?? error})`, {
      cause: error,
    });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Error(`the folder ${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}

async function read(file: string, folder: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`;
    throw new Error(`${file} ${what}: ${remedy(folder)}`, { cause: error });
  }
}

function sound<T>(file: string, folder: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${file} is damaged: ${remedy(folder)}`, { cause: error });
  }
}

function remedy(folder: string): string {
  return `put it back from a backup, because locks and clients trust this authority alone; if nothing trusts it yet, remove ${folder} and a new one is made`;
}
