// Something of every kind that the stores of documents have.
import type { AccessDraft } from '../../../../src/domain/access/access-log.ts';
import type { AccountId } from '../../../../src/domain/accounts/account.ts';
import type { Stores } from '../../../../src/domain/stores.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import { samplePasskey, samplePassword, sampleSignIn } from '../../../support/sample-sign-ins.ts';
import { sampleTtlockLogin, ttlockToken } from '../../../support/sample-ttlock.ts';
import {
  deviceId,
  lockId,
  sampleEntry,
  sampleImport,
  sampleLock,
  samplePerson,
  sampleRemovedLock,
  sampleRevocation,
  sampleSchedule,
  sampleSteps,
  sampleWebhook,
} from '../../files/support/samples.ts';

export type DocumentPorts = Omit<Stores, 'statuses' | 'batteries' | 'records' | 'audit' | 'access' | 'quarantine'>;

export const account = (accountId: number) => ({
  ...{ accountId: accountId as AccountId, username: `user ${accountId}`, gatewayAdministrator: false, accessManager: false, createdAt: 1 },
});
export const token = (tokenId: number, accountId: number) => ({
  ...{ kind: 'api' as const, tokenId, accountId: accountId as AccountId, name: 'phone', hash: String(tokenId).padStart(64, '0') },
  ...{ createdAt: 1, expiresAt: null },
});
const hub = (number: number) => ({ deviceId: deviceId(number), name: `Hub ${number}`, createdAt: 1, keyHash: 'cd'.repeat(32) });
const alarm = (lock: number) => ({ kind: 'tampered' as const, lockId: lockId(lock), since: 1, reason: 'it was opened' });
const held = (entryId: number, what: 'held' | 'gone'): AccessDraft => ({
  ...{ what, lockId: lockId(1), kind: 'card', number: '1', entryId, credentialId: null, personId: null, accountId: null, name: '' },
  ...{ notBefore: 1, notAfter: 1, startDate: 0, endDate: 0, hours: '', basis: 'reply', commandId: null, detail: '' },
});

/** Something of every kind, twice: `change` changes or removes the first, and leaves the second alone. */
export async function fill({ ports }: Store): Promise<void> {
  for (const n of [2, 3, 4]) await ports.accounts.add(account(n));
  for (const n of [2, 3, 4]) await ports.accounts.addToken(token(n, n));
  await ports.accounts.addToken(ttlockToken(9, { loginId: 1 }));
  for (const n of [1, 2, 3, 4]) await ports.locks.add(sampleLock(n));
  for (const n of [1, 2]) await ports.entries.update(lockId(n), () => ({ put: [sampleEntry(10 + n, n), sampleEntry(20 + n, n)] }));
  await ports.removedLocks.add(sampleRemovedLock(8));
  for (const n of [51, 52]) await ports.hubs.add(hub(n));
  for (const n of [2, 3]) await ports.signIns.begin(sampleSignIn(n));
  await ports.signIns.invite({ accountId: 2 as AccountId, hash: 'ab'.repeat(32), expiresAt: 9_000_000_000_000 });
  for (const n of [1, 2]) await ports.signInCredentials.putPasskey(samplePasskey(n));
  await ports.signInCredentials.setPassword(samplePassword(2));
  for (const n of [1, 2]) await ports.ttlockLogins.put(sampleTtlockLogin(n));
  await ports.settings.update(2 as AccountId, (now) => ({ ...now, favourites: [lockId(1)] }));
  await ports.alarms.update(() => ({ active: [alarm(1), alarm(2)] }));
  for (const n of [1, 2]) await ports.webhooks.add(sampleWebhook(n));
  for (const n of [1, 2]) await ports.people.add(samplePerson(n));
  for (const n of [1, 2]) await ports.schedules.put(sampleSchedule(n));
  await ports.schedules.setHolidays(['2026-12-24']);
  for (const n of [1, 2]) await ports.revocations.put(sampleRevocation(n));
  for (const n of [1, 2]) await ports.imports.add(sampleImport(n), sampleSteps);
  await ports.homeCode.put('$scrypt$a hash');
  await ports.access.append([held(11, 'held'), held(12, 'held')]);
  await ports.counters.groupId('Ground floor');
}

/** Changes something of every kind. */
export async function change({ ports }: Store): Promise<void> {
  await ports.accounts.removeTokens([2]);
  await ports.accounts.remove(3 as AccountId, 5);
  await ports.locks.update(lockId(1), (lock) => ({
    ...{ ...lock, alias: 'renamed', roles: [], driver: { ...lock.driver, keyHash: 'ef'.repeat(32) } },
  }));
  await ports.locks.remove(lockId(2));
  await ports.locks.add(sampleLock(5));
  await ports.entries.update(lockId(1), () => ({ put: [sampleEntry(31, 1)], remove: [sampleEntry(11, 1).entryId] }));
  await ports.entries.update(lockId(3), () => ({ put: [sampleEntry(33, 3)] }));
  await ports.removedLocks.add(sampleRemovedLock(2));
  await ports.removedLocks.forget(lockId(8));
  await ports.hubs.remove(deviceId(51));
  await ports.signIns.end([sampleSignIn(2).hash]);
  await ports.signIns.endInvitation(2 as AccountId);
  await ports.signInCredentials.removePasskey(1);
  await ports.signInCredentials.setPassword({ ...samplePassword(2), setAt: 2 });
  await ports.ttlockLogins.remove([1]);
  await ports.settings.update(2 as AccountId, (now) => ({ ...now, favourites: [lockId(3)] }));
  await ports.alarms.update(() => ({ ended: [alarm(1)] }));
  await ports.webhooks.remove(sampleWebhook(1).webhook.webhookId);
  const [, second] = [1, sampleWebhook(2)];
  await ports.webhooks.update(second.webhook.webhookId, (one) => ({ ...one, progress: { ...one.progress, position: 9 } }));
  await ports.people.update(samplePerson(1).personId, (one) => ({ ...one, suspended: true }));
  await ports.people.remove(samplePerson(2).personId);
  await ports.schedules.put({ ...sampleSchedule(1), name: 'renamed' });
  await ports.schedules.setHolidays([]);
  await ports.revocations.put({ ...sampleRevocation(1), foundDate: 9 });
  await ports.revocations.put(sampleRevocation(3));
  await ports.imports.remove(sampleImport(1).importId);
  await ports.imports.update(sampleImport(2).importId, (one) => ({ ...one, state: 'applied' }));
  await ports.homeCode.put(null);
  await ports.access.append([held(11, 'gone'), held(13, 'held')]);
  await ports.counters.groupId('First floor');
}

/** Everything that documents and rows say. */
export async function allOf(ports: DocumentPorts): Promise<object> {
  const every = { pageNo: 1, pageSize: 1_000 };
  const locks = ports.locks.all();
  const { list: accounts } = ports.accounts.page(every);
  return {
    ...{ accounts, tokens: ports.accounts.tokenPage(every).list, removedAccount: ports.accounts.nameOf(3 as AccountId), locks },
    byKey: [deviceId(1), deviceId(2), deviceId(5)].map((one) => ports.locks.byDevice(one)),
    entries: await Promise.all(locks.map(async (one) => [...(await ports.entries.of(one.lockId)).entries])),
    removed: ports.removedLocks.all(),
    hubs: [51, 52].map((n) => ports.hubs.get(deviceId(n))),
    ...{ signIns: ports.signIns.all(), invitations: ports.signIns.invitations() },
    passkeys: ports.signInCredentials.passkeys(1 as AccountId),
    password: ports.signInCredentials.password(2 as AccountId),
    ...{ ttlock: ports.ttlockLogins.all(), settings: ports.settings.all(), alarms: ports.alarms.all() },
    ...{ webhooks: await ports.webhooks.all(), people: ports.people.all(), holders: ports.people.byCardNumbers(['5550001']) },
    ...{ schedules: ports.schedules.all(), holidays: ports.schedules.holidays(), revocations: ports.revocations.all() },
    imports: await Promise.all(ports.imports.all().map(async (one) => [one, await ports.imports.steps(one.importId)])),
    ...{ code: ports.homeCode.hash(), groups: ports.counters.groupIds(), paused: ports.pause.since() },
  };
}
