// Which database a command works on: of the setting store, or of a URL that was typed.
import type { Config } from '../../app/config.ts';
import { databaseAddress, store } from '../../app/config-store.ts';

export interface StoreDatabase {
  readonly address: NonNullable<ReturnType<typeof databaseAddress>>;
  /** Without a password, for people. */
  readonly url: string;
  readonly passwordFile: string | undefined;
}

/** Undefined: the data is in files. */
export function configuredDatabase(config: Pick<Config, 'store' | 'storePasswordFile'>): StoreDatabase | undefined {
  return config.store === 'files' ? undefined : typedDatabase(config.store, config.storePasswordFile);
}

/** Throws a sentence for what is no such URL, without showing it. */
export function typedDatabase(url: string, passwordFile: string | undefined): StoreDatabase {
  const checked = store.safeParse(url);
  const address = databaseAddress(url);
  if (!checked.success || address === undefined) throw new Error(`the URL of a database ${checked.error?.issues[0]?.message ?? 'is none'}`);
  return { address, url, passwordFile };
}
