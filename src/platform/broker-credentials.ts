// What a connection to an outside broker needs besides its address: a user name, a password, authorities, and a client id. The files are read at each
// attempt, so that a new password needs no restart.
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeDurably } from './durable-text.ts';
import type { BrokerCredentials } from './mqtt-connection.ts';

export interface BrokerFiles {
  readonly username?: string | undefined;
  /** Its first line is the password. */
  readonly passwordFile?: string | undefined;
  /** PEM. */
  readonly ca?: string | undefined;
}

/** Rejects with a sentence that names the file, and never its content. */
export async function readBrokerCredentials({ username, passwordFile, ca }: BrokerFiles): Promise<BrokerCredentials> {
  const text = passwordFile === undefined ? undefined : await readText('the password file', passwordFile);
  const [password] = text?.split(/\r?\n/, 1) ?? [];
  if (password === '') throw new Error(`the password file ${passwordFile} has no first line`);
  return { username, password, ca: ca === undefined ? undefined : await readText('the authorities', ca) };
}

async function readText(what: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`${what} ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}

/** Who the gateway is on one broker. */
export interface BrokerIdentity {
  /** Once `credentials` has resolved. */
  clientId(): string;
  /** Reads all of it anew, for an attempt to connect. */
  credentials(): Promise<BrokerCredentials>;
}

/** `seedPath` and `name`: as in `brokerClientId`. */
export function createBrokerIdentity(seedPath: string, name: string, files: BrokerFiles): BrokerIdentity {
  let clientId = '';
  return {
    clientId: () => clientId,
    async credentials() {
      clientId = await brokerClientId(seedPath, name);
      return readBrokerCredentials(files);
    },
  };
}

const seedPattern = /^[0-9a-f]{32}\n$/;

/**
 * `latchd-` and 8 hex digits for each name, the same for ever: they follow from 16 random bytes in the file. Two clients of one id would throw each
 * other off a broker, so another gateway, and another bridge to the same broker, has others. Rejects with a sentence when the file cannot be made.
 */
export async function brokerClientId(path: string, name: string): Promise<string> {
  const seed = await readSeed(path);
  return `latchd-${createHash('sha256').update(`${seed}:${name}`).digest('hex').slice(0, 8)}`;
}

async function readSeed(path: string): Promise<string> {
  const found = await readFile(path, 'utf8').catch(() => '');
  if (seedPattern.test(found)) return found.trim();
  const seed = randomBytes(16).toString('hex');
  try {
    await writeDurably(path, `${seed}\n`, 0o600);
  } catch (error) {
    throw new Error(`the client id cannot be stored in ${path} (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  return seed;
}
