// The authority of several nodes: the database has it, and each node a copy, so that its listeners are there before the database answers.
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import { type Authority, findAuthority, newAuthority, storeAuthority } from './local-ca.ts';

/** Where all nodes look. */
export interface AuthorityStore {
  find(): Promise<Authority | undefined>;
  /** Resolves with the authority that holds from then on: this one, unless another node has stored one before. */
  store(authority: Authority): Promise<Authority>;
}

/**
 * The authority of all nodes. It is made when there is none anywhere: of the folder's files, if it has them.
 * @param folder of this node's copy, which is made if it is not there; undefined: this node needs none
 * @returns rejects with a sentence when the copy is another authority: clients and locks trust one of the two, and only a person knows which
 */
export async function shareAuthority(
  store: AuthorityStore,
  folder: string | undefined,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<Authority> {
  const own = folder === undefined ? undefined : await findAuthority(folder, { log });
  const shared = (await store.find()) ?? (await store.store(own ?? (await newAuthority(clock))));
  if (own !== undefined && own.certificate !== shared.certificate)
    throw new Error(
      `the certificate authority in ${folder} is not that of the other nodes in the database: move ${folder} away, and clients and locks that trust it must be given that of the others`,
    );
  if (folder !== undefined && own === undefined) {
    await storeAuthority(folder, shared);
    log.info({ code: 'tls-authority-shared', file: `${folder}/ca.crt` }, 'the certificate authority of all nodes is here now');
  }
  return shared;
}
