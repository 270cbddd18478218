// What a password must be: long, and none that everybody tries first. Nothing else is demanded (NIST SP 800-63B).
import { DomainError } from '../errors.ts';
import type { IsFrequentPassword } from './sign-in-ports.ts';

const charactersAtLeast = 10;
export const charactersAtMost = 200;

/** Rejects with `password-weak` and a sentence that says why. */
export async function requireStrong(password: string, username: string, isFrequent: IsFrequentPassword): Promise<void> {
  const { length } = [...password];
  if (length < charactersAtLeast || length > charactersAtMost)
    throw weak(`a password must have ${charactersAtLeast} to ${charactersAtMost} characters`);
  if (password.toLowerCase() === username.toLowerCase()) throw weak('the password must not be the username');
  if (await isFrequent(password.toLowerCase())) throw weak('this password is one of the 10,000 most common ones');
}

function weak(message: string): DomainError {
  return new DomainError('password-weak', message);
}
