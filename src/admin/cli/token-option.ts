// The options of commands that ask the HTTP API of a gateway, here or elsewhere, with a token.
import { readFileSync } from 'node:fs';
import { WrongValue } from './command.ts';

/** Without a slash at its end. @throws WrongValue */
export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#@]/.test(text))
    throw new WrongValue('it must be a URL of http or https, without user name and query.');
  return url.href.replace(/\/$/, '');
}

/** What the file of --token-file holds, or without one LATCHD_TOKEN. Throws a sentence when there is none. */
export function tokenFrom(file: string | undefined): string {
  const token = (file === undefined ? (process.env['LATCHD_TOKEN'] ?? '') : contentOf(file)).trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Error(file === undefined ? '--token-file or LATCHD_TOKEN must give a token' : `--token-file: ${file} holds no token`);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`--token-file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}
