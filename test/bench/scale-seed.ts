// A gateway that holds much: accounts, tokens, deeds, alarms, written by the store's own code beside the locks that `seedDirectory` makes.
import type { Account, AccountId, Token } from '../../src/domain/accounts/account.ts';
import type { Alarm } from '../../src/domain/alarms/alarm.ts';
import type { AuditEntry } from '../../src/domain/audit/audit-action.ts';
import type { DeviceId, LockId } from '../../src/domain/locks/lock.ts';
import type { RemovedLock } from '../../src/domain/locks/removed-lock.ts';
import type { FailedDelivery } from '../../src/domain/webhooks/delivery.ts';
import type { StoredWebhook, WebhookId } from '../../src/domain/webhooks/webhook.ts';
import { accountRows } from '../../src/stores/files/documents/account-rows.ts';
import { alarmRows } from '../../src/stores/files/documents/alarm-file.ts';
import { createRowFile } from '../../src/stores/files/documents/row-file.ts';
import { createSecrets } from '../../src/stores/files/documents/secrets.ts';
import { createStore } from '../../src/stores/files/store.ts';
import { type BenchLock, clock, quiet, seedDirectory, silentLog, withoutFlushes } from './seed.ts';

/** What the gateway holds of each kind. */
export interface Scale {
  readonly locks: number;
  readonly accounts: number;
  readonly tokens: number;
  readonly deeds: number;
  readonly alarms: number;
  readonly removedLocks: number;
  /** Of one webhook, which is never sent anything. */
  readonly failedDeliveries: number;
  /** Of each door that is used; its lock tells of them. */
  readonly recordsEach: number;
}

/** Accounts that have a tenth of all tokens each, to be removed with them. */
export const heavyAccounts = 6;
const day = Date.UTC(2026, 10, 1);
const atOnce = 1_000;

/** Locks 1 to `locks`, and all else but the records; the account `admin` is the administrator of the locks. */
export async function seedScale(directory: string, scale: Scale): Promise<{ token: string; locks: BenchLock[] }> {
  const seeded = await seedDirectory(directory, scale.locks);
  const files = withoutFlushes();
  const secrets = createSecrets();
  const first: Account = { accountId: 1 as AccountId, username: 'admin', gatewayAdministrator: true, accessManager: false, createdAt: day };
  const accounts = [first, ...Array.from({ length: scale.accounts - 1 }, (_, n) => accountOf(n + 2))];
  const tokens = Array.from({ length: scale.tokens }, (_, n) => tokenOf(n + 1, n === 0 ? secrets.hash(seeded.token) : undefined, scale));
  await createRowFile({ files, path: `${directory}/accounts.jsonl`, format: accountRows }).create([
    ...accounts.map((account) => [`account ${account.accountId}`, account] as const),
    ...tokens.map((token) => [`token ${token.tokenId}`, token] as const),
  ]);
  const alarms = Array.from({ length: scale.alarms }, (_, n) => alarmOf(n, scale.locks));
  await createRowFile({ files, path: `${directory}/alarms.jsonl`, format: alarmRows }).create(
    alarms.map((alarm) => [`${alarm.kind} ${alarm.lockId}`, alarm] as const),
  );
  const store = createStore({ directory, clock, log: silentLog, secrets, files, onFatal: quiet });
  await store.start();
  for (let n = 0; n < scale.deeds; n += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, scale.deeds - n) }, async () =>
      store.ports.audit.append(auditActionOf(await store.ports.audit.nextId())),
    );
    await Promise.all(some);
  }
  for (let n = 0; n < scale.removedLocks; n++) await store.ports.removedLocks.add(removedLockOf(n, scale.locks));
  await store.ports.webhooks.add(webhookOf(scale.failedDeliveries));
  await store.stop();
  return seeded;
}

function accountOf(accountId: number): Account {
  return {
    accountId: accountId as AccountId,
    username: `user-${accountId}`,
    gatewayAdministrator: false,
    accessManager: false,
    createdAt: day,
  };
}

/** A tenth of all for each of the heavy accounts, which follow `admin`; the others evenly. */
function tokenOf(tokenId: number, hash: string | undefined, { accounts, tokens }: Scale): Token {
  const heavy = Math.ceil((tokenId - 1) / Math.max(1, tokens / 10));
  const accountId = tokenId === 1 ? 1 : heavy <= heavyAccounts ? Math.min(accounts, heavy + 1) : 1 + (tokenId % accounts);
  const own = { kind: 'api' as const, tokenId, accountId: accountId as AccountId, name: 'phone', createdAt: day, expiresAt: null };
  return { ...own, hash: hash ?? tokenId.toString(16).padStart(64, '0') };
}

/** One for each lock, of a kind that a person ends; beyond that another of each. */
function alarmOf(n: number, locks: number): Alarm {
  const kind = n < locks ? 'tampered' : 'duress';
  return { kind, lockId: (1 + (n % locks)) as LockId, since: day + n, reason: 'it was opened' };
}

function auditActionOf(id: number): AuditEntry {
  const deed = { action: 'card-add', object: `lock ${1 + (id % 1_000)}`, detail: `Resident ${id}` } as const;
  return { id, at: day + id * 1_000, username: `user ${id % 100}`, address: '192.0.2.7', ...deed, outcome: 'ok' };
}

/** Their numbers follow those of the locks that are there. */
function removedLockOf(n: number, locks: number): RemovedLock {
  const lockId = (locks + 1 + n) as LockId;
  const deviceId = `c${lockId.toString(16).padStart(11, '0')}` as DeviceId;
  const named = { name: `Old door ${n}`, alias: `Building B, door ${n}` };
  return { lockId, deviceId, ...named, administrator: 1 as AccountId, removedAt: day + n, removedBy: 1 as AccountId };
}

/** Disabled, so that only what it has failed to deliver before counts. */
function webhookOf(failedDeliveries: number): StoredWebhook {
  const webhook = {
    ...{ webhookId: 1 as WebhookId, accountId: 1 as AccountId, name: 'Building control', url: 'https://192.0.2.9/doors', secret: 'bench' },
    ...{ eventTypes: [], lockIds: [], enabled: false, createdAt: day },
  };
  const failed = Array.from({ length: failedDeliveries }, (_, n) => failedDeliveryOf(n));
  return { webhook, progress: { position: 0, behind: [], waiting: [], failed, forgotten: 0, alarms: [] } };
}

function failedDeliveryOf(n: number): FailedDelivery {
  const record = {
    recordId: n + 1,
    lockId: 1,
    lockMac: 'B0:00:00:00:00:01',
    recordType: 'unlock by IC card',
    success: 1,
    username: `Resident ${n}`,
  };
  const delivery = {
    id: `${n + 1}`,
    type: 'record',
    lockId: 1 as LockId,
    at: day + n,
    recordId: n + 1,
    body: JSON.stringify(record),
  } as const;
  return { ...delivery, attempts: 40, triedAt: day + n, status: 503, reason: 'the receiver answered 503' };
}
