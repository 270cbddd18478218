// The webhooks of TTLock logins: a login with a callback has one, and it changes and ends with the login. The login says what is decided, so a
// webhook whose login names another URL, or none, sends nothing, whatever a crash has left.
import type { AccountId, Caller } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import { presentCaller } from '../accounts/present-caller.ts';
import type { Clock } from '../clock.ts';
import type { CounterStore } from '../counters.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { Mutex } from '../mutex.ts';
import type { DeliveryProgress } from './delivery.ts';
import type { StoredWebhook, Webhook, WebhookId } from './webhook.ts';
import type { WebhookSender, WebhookStore } from './webhook-ports.ts';

/** A TTLock login, as far as its callback goes. */
export interface CallbackOfLogin {
  readonly loginId: number;
  readonly accountId: AccountId;
  readonly name: string;
  /** The URL; null: none. */
  readonly callback: string | null;
}

type Target = Pick<Webhook, 'loginId' | 'accountId' | 'name' | 'url'>;

export function createTtlockCallbacks(options: {
  readonly webhooks: WebhookStore;
  readonly workers: { start(webhookId: WebhookId): Promise<void>; stop(webhookId: WebhookId): Promise<void> };
  readonly accounts: Pick<AccountStore, 'get'>;
  /** The logins as they are on the disk. */
  readonly logins: () => readonly CallbackOfLogin[];
  readonly sender: Pick<WebhookSender, 'refusal'>;
  readonly counters: CounterStore;
  readonly clock: Clock;
  /** The progress with which a webhook begins now. */
  readonly fresh: (caller: Caller, before?: DeliveryProgress) => DeliveryProgress;
  /** Rejects with `conflict` when there are too many webhooks. */
  readonly requirePlace: (accountId: AccountId) => Promise<void>;
  readonly inTurn: Mutex;
}) {
  const { webhooks, workers, accounts, logins, sender, counters, clock, fresh, requirePlace, inTurn } = options;

  async function ofLogin(loginId: number): Promise<StoredWebhook | undefined> {
    return (await webhooks.all()).find(({ webhook }) => webhook.loginId === loginId);
  }
  /** Rejects with `not-found`: the account was removed meanwhile. */
  function callerOf(accountId: AccountId): Caller {
    const account = accounts.get(accountId);
    if (account === undefined) throw new DomainError('not-found', 'the account of this login is gone');
    return presentCaller(accounts, account);
  }
  /** Adds the webhook, which begins now and has no worker yet. */
  async function add(target: Target): Promise<StoredWebhook> {
    await requirePlace(target.accountId);
    const webhookId = (await counters.next('webhookId')) as WebhookId;
    const choice = { secret: '', eventTypes: ['record'], lockIds: [], enabled: true } as const;
    const stored = { webhook: { webhookId, ...target, ...choice, createdAt: clock.now() }, progress: fresh(callerOf(target.accountId)) };
    await webhooks.add(stored);
    return stored;
  }
  /** Lets it send to this URL. One that was switched off, such as by its receiver, is switched on and begins anew. */
  function sendTo({ webhook: { webhookId } }: StoredWebhook, { accountId, name, url }: Target): Promise<StoredWebhook> {
    return webhooks.update(webhookId, ({ webhook, progress }) => ({
      webhook: { ...webhook, name, url, enabled: true },
      progress: webhook.enabled ? progress : fresh(callerOf(accountId), progress),
    }));
  }
  async function putBack({ webhook: { webhookId } }: StoredWebhook, before: StoredWebhook | undefined): Promise<void> {
    if (before === undefined) await webhooks.remove(webhookId);
    else await webhooks.update(webhookId, () => before);
  }
  /** Without this removal the webhook sends nothing all the same, and the next start tries again. */
  const removeIfPossible = (webhookId: WebhookId): Promise<void> => webhooks.remove(webhookId).catch(() => undefined);

  async function decide(login: CallbackOfLogin, storeLogin: () => Promise<void>): Promise<void> {
    const { callback } = login;
    const refusal = callback === null ? undefined : sender.refusal(callback);
    if (refusal !== undefined) throw invalidParameter('callback', refusal);
    const known = await ofLogin(login.loginId);
    if (known !== undefined) await workers.stop(known.webhook.webhookId);
    const before = await ofLogin(login.loginId);
    const target = targetOf(login);
    let after: StoredWebhook | undefined;
    try {
      if (target !== undefined) after = await (before === undefined ? add(target) : sendTo(before, target));
      await storeLogin();
    } catch (error) {
      if (after !== undefined) await putBack(after, before);
      if (before !== undefined) await workers.start(before.webhook.webhookId);
      throw error;
    }
    if (after !== undefined) await workers.start(after.webhook.webhookId);
    else if (before !== undefined) await removeIfPossible(before.webhook.webhookId);
  }

  return {
    /** Whether the webhook may send. */
    isNamed: ({ loginId, url }: Webhook): boolean =>
      loginId === undefined || logins().some((login) => login.loginId === loginId && login.callback === url),
    /**
     * Stores a login, and with it what becomes of its webhook: both or neither. A new webhook is on the disk before the login that names it, and
     * one that is over ends behind its login.
     */
    decide: (login: CallbackOfLogin, storeLogin: () => Promise<void>): Promise<void> => inTurn(() => decide(login, storeLogin)),
    /** Makes the webhooks what the logins say. A crash may have come in between, or a webhook was unusable and set aside. */
    async reconcile(): Promise<void> {
      const missing = new Map<number, Target>();
      for (const login of logins()) {
        const target = targetOf(login);
        if (target !== undefined && accounts.get(login.accountId) !== undefined) missing.set(login.loginId, target);
      }
      for (const stored of await webhooks.all()) {
        const { loginId, webhookId, url } = stored.webhook;
        if (loginId === undefined) continue;
        const target = missing.get(loginId);
        missing.delete(loginId);
        if (target === undefined) await removeIfPossible(webhookId);
        else if (target.url !== url) await sendTo(stored, target).catch(() => undefined);
      }
      for (const target of missing.values()) await add(target).catch(() => undefined);
    },
  };
}

/** Nothing else of the login, such as its hashes, gets into a webhook. */
function targetOf({ loginId, accountId, name, callback }: CallbackOfLogin): Target | undefined {
  return callback === null ? undefined : { loginId, accountId, name, url: callback };
}
