// TTLock logins as gateway administrators manage them. They exist whether the API of TTLock's cloud is served or not.
import type { Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { accountNamed, usernameOf } from '../accounts/account-service.ts';
import { requireGatewayAdministrator } from '../accounts/permissions.ts';
import type { CancelSignal } from '../cancel-signal.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError } from '../errors.ts';
import type { ListAsked, LongLists } from '../long-lists.ts';
import type { Mutex } from '../mutex.ts';
import { type Page, paginate } from '../page.ts';
import type { Secrets } from '../secrets.ts';
import type { Webhooks } from '../webhooks/webhook-service.ts';
import type {
  IssuedTtlockLogin,
  IssuedTtlockPassword,
  NewTtlockLogin,
  TtlockLogin,
  TtlockLoginChanges,
  TtlockLoginView,
} from './ttlock-login.ts';
import type { TtlockLoginStore } from './ttlock-ports.ts';
import type { TtlockUses } from './ttlock-uses.ts';

export const ttlockLoginColumns = ['name', 'username', 'lastUsed'] as const;
export type TtlockLoginsAsked = ListAsked<(typeof ttlockLoginColumns)[number]>;

const columns = {
  name: ({ login }: TtlockLoginView) => login.name,
  username: ({ username }: TtlockLoginView) => username,
  lastUsed: ({ lastUsedAt }: TtlockLoginView) => lastUsedAt ?? 0,
};

function textsOf({ login: { name, clientId, callback }, username }: TtlockLoginView): readonly string[] {
  return [name, username, clientId, callback ?? ''];
}

/** For gateway administrators; throws `forbidden` for others. All but `create` and `list` reject with `not-found`. */
export interface TtlockLoginService {
  /** Rejects with `not-found` when there is no such account, and with `invalid-parameter` for a callback to which nothing may be sent. */
  create(caller: Caller, login: NewTtlockLogin): Promise<IssuedTtlockLogin>;
  /** A search looks in name, username, clientId and callback. Rejects with `rate-limited` as `LongLists.page`. */
  list(caller: Caller, asked: TtlockLoginsAsked, gone?: CancelSignal): Promise<Page<TtlockLoginView>>;
  /** Its sessions go on. `invalid-parameter` as `create`. */
  change(caller: Caller, loginId: number, changes: TtlockLoginChanges): Promise<TtlockLoginView>;
  /** Makes a new password; the old one and all sessions end at once. */
  renewPassword(caller: Caller, loginId: number): Promise<IssuedTtlockPassword>;
  /** Removes a login with its sessions: it is unknown, and nothing of it opens a door from then on, also not what waits for its turn. */
  remove(caller: Caller, loginId: number): Promise<void>;
}

export function createTtlockLoginService(options: {
  readonly clock: Pick<Clock, 'now'>;
  readonly secrets: Pick<Secrets, 'newHexSecret' | 'newDevicePassword' | 'hash' | 'md5'>;
  readonly counters: Pick<CounterStore, 'next'>;
  readonly logins: TtlockLoginStore;
  readonly accounts: Pick<AccountStore, 'get' | 'byName' | 'tokensOfLogin' | 'removeTokens'>;
  readonly uses: Pick<TtlockUses, 'lastUsedAt'>;
  /** What sends the records to callbacks. */
  readonly webhooks: Pick<Webhooks, 'setCallback'>;
  /** Shared with `TtlockAccess`: logins change one after the other, and meanwhile no session begins. */
  readonly inTurn: Mutex;
  readonly longLists: LongLists;
}): TtlockLoginService {
  const { clock, secrets, counters, logins, accounts, uses, webhooks, inTurn, longLists } = options;

  /** Of one whose account is gone nobody hears any more. */
  const isThere = ({ accountId }: TtlockLogin): boolean => accounts.get(accountId) !== undefined;

  function requireLogin(loginId: number): TtlockLogin {
    const login = logins.get(loginId);
    if (login === undefined || !isThere(login)) throw new DomainError('not-found', `there is no TTLock login ${loginId}`);
    return login;
  }
  function viewOf(login: TtlockLogin): TtlockLoginView {
    return { login, username: usernameOf(accounts, login.accountId), lastUsedAt: uses.lastUsedAt(login.loginId) };
  }
  function newPassword() {
    const password = secrets.newDevicePassword();
    return { password, passwordHash: secrets.hash(secrets.md5(password)) };
  }
  /** On the disk first: after a power cut, nobody uses a session of a login that is gone, or that has another password. */
  async function endSessions(loginId: number): Promise<void> {
    const sessions = accounts.tokensOfLogin(loginId);
    if (sessions.length > 0) await accounts.removeTokens(sessions.map(({ tokenId }) => tokenId));
  }

  return {
    async create(caller, { username, name, callback = null }) {
      requireGatewayAdministrator(caller);
      const { accountId } = accountNamed(accounts, username);
      const loginId = await counters.next('ttlockLoginId');
      const [clientId, clientSecret] = [secrets.newHexSecret(), secrets.newHexSecret()];
      const { password, passwordHash } = newPassword();
      const hashes = { secretHash: secrets.hash(clientSecret), passwordHash };
      const login: TtlockLogin = { loginId, accountId, name, clientId, ...hashes, callback, createdAt: clock.now() };
      await webhooks.setCallback(login, async () => {
        // The account can have been removed meanwhile.
        accountNamed(accounts, username);
        await logins.put(login);
      });
      return { loginId, clientId, clientSecret, password };
    },

    async list(caller, asked, gone) {
      requireGatewayAdministrator(caller);
      const all = logins.all().filter(isThere).map(viewOf);
      return longLists.page(caller, (request) => paginate(all, request), { asked, textsOf, columns }, gone);
    },

    async change(caller, loginId, changes) {
      requireGatewayAdministrator(caller);
      return inTurn(async () => {
        const login = { ...requireLogin(loginId), ...changes };
        await webhooks.setCallback(login, () => logins.put(login));
        return viewOf(login);
      });
    },

    async renewPassword(caller, loginId) {
      requireGatewayAdministrator(caller);
      return inTurn(async () => {
        const login = requireLogin(loginId);
        const { password, passwordHash } = newPassword();
        await endSessions(loginId);
        await logins.put({ ...login, passwordHash });
        return { loginId, password };
      });
    },

    async remove(caller, loginId) {
      requireGatewayAdministrator(caller);
      await inTurn(async () => {
        const login = { ...requireLogin(loginId), callback: null };
        await webhooks.setCallback(login, async () => {
          await endSessions(loginId);
          await logins.remove([loginId]);
        });
      });
    },
  };
}
