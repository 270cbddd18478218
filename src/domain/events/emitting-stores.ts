// The stores and notices as the services use them, which tell the live service of every change once it is there for all to see.
import type { Card } from '../credentials/card.ts';
import type { CardLookUp, CardsChange } from '../credentials/lock-cards.ts';
import type { Notify } from '../domain-event.ts';
import type { Lock, LockId } from '../locks/lock.ts';
import type { AccountStore, CardStore, LockStore, StatusStore } from '../ports.ts';
import type { Announcements } from './live-service.ts';

interface Announced {
  readonly locks: LockStore;
  readonly cards: CardStore;
  readonly statuses: StatusStore;
  readonly accounts: AccountStore;
  readonly notify: Notify;
}

/** The same stores and notices; all that is changed through them is told. Records tell it themselves (`onStored`). */
export function announced({ locks, cards, statuses, accounts, notify }: Announced, announce: Announcements): Announced {
  return {
    locks: announcedLocks(locks, announce),
    cards: announcedCards(cards, announce),
    statuses: announcedStatuses(statuses, announce),
    accounts: announcedAccounts(accounts, announce),
    notify: announcedNotices(notify, announce),
  };
}

/** What happens to locks, and to what accounts see of them. */
function announcedLocks(locks: LockStore, announce: Pick<Announcements, 'lockChanged'>): LockStore {
  return {
    ...locks,
    async add(lock) {
      await locks.add(lock);
      announce.lockChanged(undefined, lock);
    },
    async update(lockId, change) {
      let before: Lock | undefined;
      const after = await locks.update(lockId, (lock) => {
        before = lock;
        return change(lock);
      });
      announce.lockChanged(before, after);
      return after;
    },
    async remove(lockId) {
      const before = locks.get(lockId);
      const left = await locks.remove(lockId);
      announce.lockChanged(before, undefined);
      return left;
    },
  };
}

/** A change is done when who is to be told of it outlasts a crash, too: whoever had a 2xx knows that others are told. */
function announcedCards(cards: CardStore, announce: Pick<Announcements, 'lockEvent' | 'kept'>): CardStore {
  return {
    ...cards,
    async update(lockId, change) {
      let told: readonly CardEvent[] = [];
      await cards.update(lockId, (newest) => {
        const made = change(newest);
        told = eventsOf(newest, made);
        return made;
      });
      if (told.length === 0) return;
      for (const { change: what, card } of told) announce.lockEvent({ type: 'card', lockId, change: what, card });
      await announce.kept();
    },
  };
}

interface CardEvent {
  readonly change: 'added' | 'changed' | 'removed';
  readonly card: Card;
}

function eventsOf(before: CardLookUp, { put = [], remove = [] }: CardsChange): readonly CardEvent[] {
  const removed = remove.flatMap((cardId) => before.byId(cardId) ?? []);
  return [
    ...put.map((card) => ({ change: before.byId(card.cardId) === undefined ? 'added' : 'changed', card }) as const),
    ...removed.map((card) => ({ change: 'removed', card }) as const),
  ];
}

/** A state or a battery level is told when it is another than before. */
function announcedStatuses(statuses: StatusStore, announce: Pick<Announcements, 'lockEvent'>): StatusStore {
  return {
    ...statuses,
    patch(lockId, change) {
      const before = statuses.get(lockId);
      statuses.patch(lockId, change);
      const { state, stateAt, batteryPercent } = statuses.get(lockId);
      if (state !== before.state && state !== null && stateAt !== null) announce.lockEvent({ type: 'state', lockId, state, stateAt });
      if (batteryPercent !== before.batteryPercent && batteryPercent !== null)
        announce.lockEvent({ type: 'battery', lockId, batteryPercent });
    },
  };
}

/** What is added takes nobody's right away. */
function announcedAccounts(accounts: AccountStore, announce: Pick<Announcements, 'accountChanged'>): AccountStore {
  return {
    ...accounts,
    async remove(accountId, removedAt) {
      await accounts.remove(accountId, removedAt);
      announce.accountChanged(accountId);
    },
    async removeTokens(tokenIds) {
      const removed = await accounts.removeTokens(tokenIds);
      for (const accountId of new Set(removed.map((token) => token.accountId))) announce.accountChanged(accountId);
      return removed;
    },
  };
}

/** That a lock is online is told once, however many hellos it says. */
function announcedNotices(notify: Notify, announce: Pick<Announcements, 'lockEvent' | 'alarm'>): Notify {
  const online = new Set<LockId>();
  return (notice) => {
    notify(notice);
    if (notice.kind === 'alarm-began') {
      const { alarm: kind, lockId, since, reason } = notice;
      announce.alarm({ type: 'alarm', lockId, alarm: { kind, lockId, since, reason } });
    }
    if (notice.kind === 'alarm-ended')
      announce.alarm({ type: 'alarm-ended', lockId: notice.lockId, kind: notice.alarm, since: notice.since });
    if (notice.kind !== 'lock-online' && notice.kind !== 'lock-offline') return;
    const { kind, lockId } = notice;
    const isNew = kind === 'lock-online' ? !online.has(lockId) : online.has(lockId);
    if (kind === 'lock-online') online.add(lockId);
    else online.delete(lockId);
    if (isNew) announce.lockEvent({ type: 'online', lockId, online: kind === 'lock-online' });
  };
}
