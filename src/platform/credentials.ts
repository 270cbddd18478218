// Secrets that systemd hands over as files for this process alone (systemd.exec(5), LoadCredential=).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const tokenName = 'latchd.admin.token';
/** What the unit hands over in place of a file that is not there (SetCredential=). */
const none = 'none';
/** What a header can carry (RFC 6750, b64token), and too long to be guessed. */
const tokenPattern = /^[A-Za-z0-9\-._~+/]{32,512}=*$/;

/**
 * The token that the account `admin` is to have from the first start on; undefined when none is handed over.
 * Rejects with a sentence, which never has what is in the file, when it is no token.
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
