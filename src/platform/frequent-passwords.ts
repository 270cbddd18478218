// The passwords that everybody tries first: the most frequent ones of the lists of @zxcvbn-ts/language-common (MIT). Loaded when somebody
// first sets a password. The only file that names that package.
import type { IsFrequentPassword } from '../domain/accounts/sign-in-ports.ts';

/** Of the list; the bundle has no more (vite.daemon.config.ts). */
export const howManyPasswords = 10_000;

export function createFrequentPasswords(): IsFrequentPassword {
  let loading: Promise<ReadonlySet<string>> | undefined;

  async function load(): Promise<ReadonlySet<string>> {
    const { dictionary } = await import('@zxcvbn-ts/language-common');
    // The most frequent ones come first.
    return new Set(dictionary['passwords-common'].slice(0, howManyPasswords));
  }

  return async (password) => {
    loading ??= load();
    return (await loading).has(password);
  };
}
