// What every set of stores promises to emit: each change once, when readers see it and before whoever asked for it knows.
import { describe, expect, test } from '@jest/globals';
import type { AccountId } from '../../src/domain/accounts/account.ts';
import type { StoreEvents } from '../../src/domain/domain-events.ts';
import type { EventBus } from '../../src/domain/event-bus.ts';
import type { Stores } from '../../src/domain/stores.ts';
import { lockId, sampleCard, sampleEvents, sampleLock } from '../stores/files/support/samples.ts';
import type { RunOver } from './adapters.ts';

export interface Feed {
  readonly stores: Pick<Stores, 'locks' | 'cards' | 'statuses' | 'accounts' | 'records'>;
  readonly events: EventBus;
}

export function changeFeedContract(over: RunOver<Feed>): void {
  describe('the change feed', () => {
    function listen({ events }: Feed) {
      const heard: unknown[] = [];
      const note = (name: keyof StoreEvents) => events.subscribe(name, (payload) => void heard.push([name, payload]));
      for (const name of ['lock-changed', 'card-changed', 'status-changed', 'records-stored', 'access-ended'] as const) note(name);
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

    test('tells which cards were added, changed and removed, and nothing of intents', () =>
      over(async (feed) => {
        await feed.stores.locks.add(sampleLock(1));
        const heard = listen(feed);
        const card = sampleCard(5, 1);
        const renamed = { ...card, name: 'another' };
        await feed.stores.cards.update(lockId(1), () => ({ open: [{ kind: 'delete', cardId: card.cardId }] }));
        await feed.stores.cards.update(lockId(1), () => ({ put: [card] }));
        await feed.stores.cards.update(lockId(1), () => ({ put: [renamed] }));
        await feed.stores.cards.update(lockId(1), () => ({ remove: [card.cardId] }));
        expect(heard()).toEqual([
          ['card-changed', { lockId: 1, change: 'added', card }],
          ['card-changed', { lockId: 1, change: 'changed', card: renamed }],
          ['card-changed', { lockId: 1, change: 'removed', card: renamed }],
        ]);
      }));

    test('tells of each status before and after, of records with their ids, and of an account that ends', () =>
      over(async (feed) => {
        const { locks, statuses, records, accounts } = feed.stores;
        await locks.add(sampleLock(1));
        await accounts.add({ accountId: 9 as AccountId, username: 'guest', gatewayAdministrator: false, createdAt: 0 });
        const heard = listen(feed);
        statuses.patch(lockId(1), { batteryPercent: 50 });
        const drafts = sampleEvents(1, 2);
        await records.append(lockId(1), 'e', drafts);
        await records.append(lockId(1), 'e', drafts);
        await accounts.remove(9 as AccountId, 1);
        expect(heard()).toMatchObject([
          ['status-changed', { lockId: 1, before: { batteryPercent: null }, after: { batteryPercent: 50 } }],
          ['records-stored', { lockId: 1, epoch: 'e', drafts, firstRecordId: 1 }],
          ['access-ended', { accountId: 9 }],
        ]);
      }));
  });
}
