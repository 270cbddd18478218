// What every set of stores promises to emit: each change once, when readers see it and before whoever asked for it knows.
import { describe, expect, test } from '@jest/globals';
import type { AccountId } from '../../src/domain/accounts/account.ts';
import type { StoreEvents } from '../../src/domain/domain-events.ts';
import type { EventBus } from '../../src/domain/event-bus.ts';
import type { Stores } from '../../src/domain/stores.ts';
import {
  deviceId,
  lockId,
  sampleEntry,
  sampleEvents,
  sampleLock,
  samplePerson,
  sampleRevocation,
  sampleSchedule,
  sampleWebhook,
} from '../stores/files/support/samples.ts';
import { ttlockToken } from '../support/sample-ttlock.ts';
import type { RunOver } from './adapters.ts';

const names = [
  ...(['lock-changed', 'account-changed', 'hub-changed', 'webhook-changed', 'entry-changed'] as const),
  ...(['status-changed', 'records-stored', 'access-ended'] as const),
  ...(['person-changed', 'schedules-changed', 'revocation-changed', 'alarm-changed', 'home-code-changed'] as const),
] satisfies readonly (keyof StoreEvents)[];

export interface Feed {
  readonly stores: Pick<
    Stores,
    | 'locks'
    | 'entries'
    | 'statuses'
    | 'accounts'
    | 'hubs'
    | 'webhooks'
    | 'records'
    | 'people'
    | 'schedules'
    | 'revocations'
    | 'alarms'
    | 'homeCode'
  >;
  readonly events: EventBus;
}

export function changeFeedContract(over: RunOver<Feed>): void {
  describe('the change feed', () => {
    function listen({ events }: Feed) {
      const heard: unknown[] = [];
      const note = (name: keyof StoreEvents) => events.subscribe(name, (payload) => void heard.push([name, payload]));
      names.forEach(note);
      return () => heard.splice(0);
    }

    test('tells of a lock that comes, changes and goes, with what was before, and readers see it by then', () =>
      over(async (feed) => {
        const { locks } = feed.stores;
        const heard = listen(feed);
        const seen: unknown[] = [];
        feed.events.subscribe('lock-changed', () => void seen.push(locks.get(lockId(1))?.alias));
        await locks.add(sampleLock(1));
        await locks.update(lockId(1), (lock) => ({ ...lock, alias: 'new' }));
        await locks.remove(lockId(1));
        const [first, second] = [sampleLock(1), { ...sampleLock(1), alias: 'new' }];
        expect(heard()).toEqual([
          ['lock-changed', { before: undefined, after: first }],
          ['lock-changed', { before: first, after: second }],
          ['lock-changed', { before: second, after: undefined }],
        ]);
        expect(seen).toEqual([first.alias, 'new', undefined]);
      }));

    test('tells of an account with other rights; who has fewer must authenticate again', () =>
      over(async (feed) => {
        const { accounts } = feed.stores;
        const heard = listen(feed);
        const eve = { accountId: 8 as AccountId, username: 'eve', gatewayAdministrator: false, accessManager: false, createdAt: 1 };
        const more = { ...eve, accessManager: true };
        await accounts.add(eve);
        await accounts.setRights(eve.accountId, more);
        await accounts.setRights(eve.accountId, eve);
        expect(heard().slice(1)).toEqual([
          ['account-changed', { before: eve, after: more }],
          ['account-changed', { before: more, after: eve }],
          ['access-ended', { accountId: eve.accountId }],
        ]);
      }));

    test('whose tokens are removed must authenticate again, and hears it once; a session that goes on with another token need not', () =>
      over(async (feed) => {
        const { accounts } = feed.stores;
        const ole = { accountId: 8 as AccountId, username: 'ole', gatewayAdministrator: false, accessManager: false, createdAt: 1 };
        await accounts.add(ole);
        const { accountId } = ole;
        const [first, second] = [ttlockToken(20, { accountId }), ttlockToken(21, { accountId })];
        await accounts.addToken(first);
        const heard = listen(feed);
        const seen: unknown[] = [];
        feed.events.subscribe('access-ended', () => void seen.push([second, renewed].map(({ tokenId }) => accounts.token(tokenId))));
        const renewed = ttlockToken(22, { accountId, sessionId: first.sessionId });
        await accounts.addToken(second);
        await accounts.addToken(renewed, first);
        expect(heard()).toEqual([]);
        await accounts.removeTokens([second.tokenId, renewed.tokenId]);
        expect(heard()).toEqual([['access-ended', { accountId }]]);
        expect(seen).toEqual([[undefined, undefined]]);
      }));

    test('tells of a person who comes, changes and goes, and of schedules and holidays, and readers see it by then', () =>
      over(async (feed) => {
        const { people, schedules } = feed.stores;
        const heard = listen(feed);
        const seen: unknown[] = [];
        const first = samplePerson(1);
        feed.events.subscribe('person-changed', () => void seen.push(people.byExternalId('HR-1')?.name));
        await people.add(first);
        await people.update(first.personId, (one) => ({ ...one, name: 'new' }));
        await people.update(first.personId, (one) => one);
        await people.remove(first.personId);
        await schedules.put(sampleSchedule(1));
        await schedules.setHolidays(['2026-12-25']);
        await schedules.remove(sampleSchedule(1).scheduleId);
        expect(heard()).toEqual([
          ['person-changed', { before: undefined, after: first }],
          ['person-changed', { before: first, after: { ...first, name: 'new' } }],
          ['person-changed', { before: { ...first, name: 'new' }, after: undefined }],
          ...Array.from({ length: 3 }, () => ['schedules-changed', {}]),
        ]);
        expect(seen).toEqual(['Person 1', 'new', undefined]);
      }));

    test('tells of a loss and of its end, and readers see it by then', () =>
      over(async (feed) => {
        const { revocations } = feed.stores;
        const heard = listen(feed);
        const lost = sampleRevocation(1);
        const seen: number[] = [];
        feed.events.subscribe('revocation-changed', () => void seen.push(revocations.all().length));
        await revocations.put(lost);
        await revocations.put({ ...lost, foundDate: 5 });
        await revocations.remove(lost.revocationId);
        expect(heard()).toEqual([
          ['revocation-changed', { before: undefined, after: lost }],
          ['revocation-changed', { before: lost, after: { ...lost, foundDate: 5 } }],
          ['revocation-changed', { before: { ...lost, foundDate: 5 }, after: undefined }],
        ]);
        expect(seen).toEqual([1, 1, 0]);
      }));

    test('tells of an alarm that begins, changes and ends, and of no accepted loss, and readers see it by then', () =>
      over(async (feed) => {
        const { alarms } = feed.stores;
        const heard = listen(feed);
        const alarm = { kind: 'jammed', lockId: lockId(1), since: 1, reason: 'x' } as const;
        const seen: unknown[] = [];
        feed.events.subscribe('alarm-changed', () => void seen.push(alarms.get('jammed', lockId(1))?.reason));
        await alarms.update(() => ({ active: [alarm], acceptedLosses: [{ lockId: lockId(1), lost: [{ epoch: 'e', to: 3 }] }] }));
        await alarms.update(() => ({ active: [{ ...alarm, reason: 'y' }] }));
        await alarms.update(() => ({ ended: [alarm], acceptedLosses: [{ lockId: lockId(1), lost: [] }] }));
        await alarms.update(() => ({ ended: [alarm] }));
        expect(heard()).toEqual([
          ['alarm-changed', { before: undefined, after: alarm }],
          ['alarm-changed', { before: alarm, after: { ...alarm, reason: 'y' } }],
          ['alarm-changed', { before: { ...alarm, reason: 'y' }, after: undefined }],
        ]);
        expect(seen).toEqual(['x', 'y', undefined]);
      }));

    test('tells of a code for Home Assistant that is set, changed and removed, and readers see it by then', () =>
      over(async (feed) => {
        const { homeCode } = feed.stores;
        const heard = listen(feed);
        const seen: unknown[] = [];
        feed.events.subscribe('home-code-changed', () => void seen.push(homeCode.hash()));
        for (const hash of ['$scrypt$1', '$scrypt$2', null]) await homeCode.put(hash);
        expect(heard()).toEqual([true, true, false].map((isSet) => ['home-code-changed', { isSet }]));
        expect(seen).toEqual(['$scrypt$1', '$scrypt$2', null]);
      }));

    test('tells of a hub and of a webhook that come, change and go, and readers see it by then', () =>
      over(async (feed) => {
        const { hubs, webhooks } = feed.stores;
        const heard = listen(feed);
        const seen: unknown[] = [];
        feed.events.subscribe('hub-changed', () => void seen.push(hubs.get(deviceId(1))?.name));
        const hub = { deviceId: deviceId(1), name: 'Hub', createdAt: 1, keyHash: 'ab'.repeat(32) };
        await hubs.add({ ...hub, deviceId: deviceId(2) });
        await hubs.add(hub);
        await hubs.update(hub.deviceId, (one) => ({ ...one, name: 'new' }));
        await hubs.update(hub.deviceId, (one) => one);
        await hubs.remove(hub.deviceId);
        expect(heard().slice(1)).toEqual([
          ['hub-changed', { before: undefined, after: hub }],
          ['hub-changed', { before: hub, after: { ...hub, name: 'new' } }],
          ['hub-changed', { before: { ...hub, name: 'new' }, after: undefined }],
        ]);
        expect(seen).toEqual([undefined, 'Hub', 'new', undefined]);

        const stored = sampleWebhook(3);
        const { webhook } = stored;
        await webhooks.add(stored);
        await webhooks.update(webhook.webhookId, (one) => ({ ...one, progress: { ...one.progress, position: 9 } }));
        await webhooks.update(webhook.webhookId, (one) => ({ ...one, webhook: { ...one.webhook, name: 'new' } }));
        await webhooks.remove(webhook.webhookId);
        expect(heard()).toEqual([
          ['webhook-changed', { before: undefined, after: webhook }],
          ['webhook-changed', { before: webhook, after: { ...webhook, name: 'new' } }],
          ['webhook-changed', { before: { ...webhook, name: 'new' }, after: undefined }],
        ]);
      }));

    test('tells nothing of a change that was refused', () =>
      over(async (feed) => {
        await feed.stores.locks.add(sampleLock(1));
        const heard = listen(feed);
        await expect(feed.stores.locks.add(sampleLock(1))).rejects.toMatchObject({ code: 'conflict' });
        const refused = feed.stores.locks.update(lockId(1), () => {
          throw new RangeError('no');
        });
        await expect(refused).rejects.toThrow('no');
        expect(heard()).toEqual([]);
      }));

    test('tells of each entry that comes, changes and goes, with what was before, and readers see it by then', () =>
      over(async (feed) => {
        const { entries, locks } = feed.stores;
        await locks.add(sampleLock(1));
        const heard = listen(feed);
        const seen: unknown[] = [];
        feed.events.subscribe('entry-changed', () => void seen.push(entries.inMemory(lockId(1))?.entries.map(({ name }) => name)));
        const [entry, same] = [sampleEntry(5, 1), sampleEntry(6, 1)];
        const renamed = { ...entry, name: 'another' };
        await entries.update(lockId(1), () => ({ put: [entry, same] }));
        await entries.update(lockId(1), (newest) => ({ put: [renamed, newest.byId(same.entryId) ?? same] }));
        await entries.update(lockId(1), () => ({ remove: [entry.entryId, sampleEntry(9, 1).entryId] }));
        expect(heard()).toEqual([
          ['entry-changed', { lockId: 1, before: undefined, after: entry }],
          ['entry-changed', { lockId: 1, before: undefined, after: same }],
          ['entry-changed', { lockId: 1, before: entry, after: renamed }],
          ['entry-changed', { lockId: 1, before: renamed, after: undefined }],
        ]);
        expect(seen).toEqual([[entry.name, same.name], [entry.name, same.name], ['another', same.name], [same.name]]);
      }));

    test('tells with a change of an entry how the gateway knows it, and with no other one', () =>
      over(async (feed) => {
        const { entries, locks } = feed.stores;
        await locks.add(sampleLock(1));
        const [entry, other] = [sampleEntry(5, 1), sampleEntry(6, 1)];
        await entries.update(lockId(1), () => ({ put: [entry, other] }));
        const heard = listen(feed);
        const proof = { basis: 'reply', commandId: '5f' } as const;
        await Promise.all([
          entries.update(lockId(1), () => ({ remove: [entry.entryId], proof })),
          entries.update(lockId(1), () => ({ put: [{ ...other, name: 'another' }] })),
        ]);
        await entries.update(lockId(1), () => ({ put: [entry] }));
        expect(heard()).toEqual([
          ['entry-changed', { lockId: 1, before: entry, after: undefined, proof }],
          ['entry-changed', { lockId: 1, before: other, after: { ...other, name: 'another' } }],
          ['entry-changed', { lockId: 1, before: undefined, after: entry }],
        ]);
      }));

    test('tells of each status before and after, of records with their ids, and of an account that comes and ends', () =>
      over(async (feed) => {
        const { locks, statuses, records, accounts } = feed.stores;
        await locks.add(sampleLock(1));
        const guest = { accountId: 9 as AccountId, username: 'guest', gatewayAdministrator: false, accessManager: false, createdAt: 0 };
        const heard = listen(feed);
        await accounts.add(guest);
        statuses.patch(lockId(1), { batteryPercent: 50 });
        const drafts = sampleEvents(1, 2);
        await records.append(lockId(1), 'e', drafts);
        await records.append(lockId(1), 'e', drafts);
        await accounts.remove(9 as AccountId, 1);
        expect(heard()).toMatchObject([
          ['account-changed', { before: undefined, after: guest }],
          ['status-changed', { lockId: 1, before: { batteryPercent: null }, after: { batteryPercent: 50 } }],
          ['records-stored', { lockId: 1, epoch: 'e', drafts, firstRecordId: 1 }],
          ['account-changed', { before: guest, after: undefined }],
          ['access-ended', { accountId: 9 }],
        ]);
      }));
  });
}
