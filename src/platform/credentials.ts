// Secrets that systemd passes to this process alone as files (systemd.exec(5), LoadCredential=).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const tokenName = 'latchd.admin.token';
/** The unit passes this text when the file does not exist (SetCredential=). */
const none = 'none';
/** Characters that a header can carry (RFC 6750, b64token), and long enough that nobody can guess it. */
const tokenPattern = /^[A-Za-z0-9\-._~+/]{32,512}=*$/;

/**
 * The token that the account `admin` gets at the first start; undefined when systemd passes none. Rejects with a sentence when the file
 * holds no token; the sentence never contains the file's content.
 */
export async function givenAdminToken(environment: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const directory = environment['CREDENTIALS_DIRECTORY'];
  if (!directory) return undefined;
  const file = join(directory, tokenName);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`the token ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  const token = text.trim();
  if (token === none) return undefined;
  if (!tokenPattern.test(token)) throw new Error(`${file} holds no token: it must be one line of 32 to 512 letters, digits and -._~+/`);
  return token;
}
