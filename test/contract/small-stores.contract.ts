// What every AccountStore, HubStore, CounterStore, StatusStore and Quarantine promises.
import { describe, expect, test } from '@jest/globals';
import type { AccountStore, AlarmStore, CounterStore, HubStore, Quarantine, StatusStore } from '../../src/domain/ports.ts';
import { deviceId, lockId } from '../store/support/samples.ts';
import type { RunOver } from './adapters.ts';

export function accountStoreContract(over: RunOver<AccountStore>): void {
  describe('an AccountStore', () => {
    test('begins with the account admin', () =>
      over(async (accounts) => {
        expect(accounts.current().accounts).toMatchObject([{ accountId: 1, username: 'admin', gatewayAdministrator: true }]);
      }));

    test('applies changes in turn; the same object until one is made', () =>
      over(async (accounts) => {
        const before = accounts.current();
        expect(accounts.current()).toBe(before);
        const names = ['a', 'b', 'c'];
        await Promise.all(
          names.map((username, n) =>
            accounts.update((now) => {
              const accountId = (n + 2) as (typeof now.accounts)[number]['accountId'];
              return { ...now, accounts: [...now.accounts, { accountId, username, gatewayAdministrator: false, createdAt: 1 }] };
            }),
          ),
        );
        expect(before.accounts).toHaveLength(1);
        expect(accounts.current().accounts.map(({ username }) => username)).toEqual(['admin', ...names]);
      }));

    test('rejects with what the change throws', () =>
      over(async (accounts) => {
        const refused = accounts.update(() => {
          throw new RangeError('no');
        });
        await expect(refused).rejects.toThrow('no');
        expect(accounts.current().accounts).toHaveLength(1);
      }));
  });
}

export function alarmStoreContract(over: RunOver<AlarmStore>): void {
  describe('an AlarmStore', () => {
    test('begins empty, and holds what was kept last', () =>
      over(async (alarms) => {
        expect(alarms.current()).toEqual({ alarms: [], acceptedLosses: [] });
        const one = { kind: 'jammed', lockId: lockId(1), since: 1, reason: 'its bolt is jammed' } as const;
        await Promise.all([alarms.keep({ alarms: [], acceptedLosses: [] }), alarms.keep({ alarms: [one], acceptedLosses: [] })]);
        expect(alarms.current()).toEqual({ alarms: [one], acceptedLosses: [] });
      }));
  });
}

export function hubStoreContract(over: RunOver<HubStore>): void {
  describe('a HubStore', () => {
    const hub = (number: number) => ({ deviceId: deviceId(number), name: `Hub ${number}`, createdAt: 1, keyHash: 'ab'.repeat(32) });

    test('begins without hubs, and applies changes in turn; the same object until one is made', () =>
      over(async (hubs) => {
        const before = hubs.current();
        expect(before).toEqual({ hubs: [] });
        await Promise.all([3, 1, 2].map((number) => hubs.update((now) => ({ hubs: [...now.hubs, hub(number)] }))));
        expect(before.hubs).toEqual([]);
        expect(hubs.current()).toEqual({ hubs: [hub(3), hub(1), hub(2)] });
        expect(hubs.current()).toBe(hubs.current());
      }));

    test('rejects with what the change throws', () =>
      over(async (hubs) => {
        const refused = hubs.update(() => {
          throw new RangeError('no');
        });
        await expect(refused).rejects.toThrow('no');
        expect(hubs.current().hubs).toEqual([]);
      }));
  });
}

export function counterStoreContract(over: RunOver<CounterStore>): void {
  describe('a CounterStore', () => {
    test('gives rising numbers of each kind, never one twice, however many ask at once', () =>
      over(async (counters) => {
        expect(await counters.next('lockId')).toBe(1);
        expect(await counters.next('cardId')).toBe(1);
        const numbers = await Promise.all(Array.from({ length: 20 }, () => counters.next('lockId')));
        expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
        expect(await counters.next('cardId')).toBe(2);
        expect(await counters.next('accountId')).toBe(2);
        expect(await counters.next('tokenId')).toBe(2);
      }));

    test('gives a group name one id for ever, and 0 for no name', () =>
      over(async (counters) => {
        expect(await counters.groupId('')).toBe(0);
        expect(await Promise.all(['East', 'West', 'East', '__proto__', 'West'].map(counters.groupId))).toEqual([1, 2, 1, 3, 2]);
        expect(await counters.groupId('__proto__')).toBe(3);
        expect(await counters.groupId('constructor')).toBe(4);
      }));
  });
}

export function statusStoreContract(over: RunOver<StatusStore>): void {
  describe('a StatusStore', () => {
    test('knows at once what it was told, and nothing of what it was not', () =>
      over(async (statuses) => {
        const unknown = { state: null, stateAt: null, batteryPercent: null, lastSeenAt: null };
        expect(statuses.get(lockId(1))).toEqual(unknown);
        statuses.patch(lockId(1), { state: 'unlocked', stateAt: 5 });
        statuses.patch(lockId(1), { batteryPercent: 0 });
        expect(statuses.get(lockId(1))).toEqual({ ...unknown, state: 'unlocked', stateAt: 5, batteryPercent: 0 });
        expect(statuses.get(lockId(2))).toEqual(unknown);
        statuses.remove(lockId(1));
        statuses.remove(lockId(9));
        expect(statuses.get(lockId(1))).toEqual(unknown);
      }));
  });
}

export function quarantineContract(over: RunOver<Quarantine>): void {
  describe('a Quarantine', () => {
    test('takes whatever comes, and more than it can hold', () =>
      over(async (quarantine) => {
        const large = '\u0000"'.repeat(30_000);
        await Promise.all(Array.from({ length: 12 }, (_, n) => quarantine.keep(deviceId(n), 'not JSON', large)));
        await quarantine.keep(deviceId(1), 'not JSON', '');
      }));
  });
}
