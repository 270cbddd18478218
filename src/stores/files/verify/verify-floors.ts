// Checks counters.json: a floor below a number that is in use would give that number again.
import type { Accounts } from '../documents/account-rows.ts';
import type { Counters } from '../documents/counter-file.ts';
import type { LockDocument } from '../documents/lock-document.ts';
import { type Report, repeated } from './verify-lines.ts';
import type { IdsOfPeople } from './verify-people.ts';
import type { VerifiedRecords } from './verify-records.ts';

export function verifyFloors(
  found: {
    readonly counters: Counters;
    readonly accounts: Accounts | undefined;
    readonly locks: readonly LockDocument[];
    readonly removedIds: readonly number[];
    readonly cardIds: readonly number[];
    readonly webhookIds: readonly number[];
    readonly ofPeople: IdsOfPeople;
    readonly revocationIds: readonly number[];
    readonly ttlockLoginIds: readonly number[];
    readonly records: VerifiedRecords;
  },
  report: Report,
): void {
  const { counters, accounts, locks, cardIds, removedIds, webhookIds, ofPeople, revocationIds, ttlockLoginIds, records } = found;
  const inUse = {
    ...ofPeople,
    lockId: [...locks.map(({ lock }) => lock.lockId), ...removedIds],
    cardId: cardIds,
    accountId: accounts?.accounts.map((account) => account.accountId) ?? [],
    tokenId: accounts?.tokens.map((token) => token.tokenId) ?? [],
    recordId: [records.highestRecordId],
    webhookId: webhookIds,
    revocationId: revocationIds,
    ttlockLoginId: ttlockLoginIds,
    groupId: counters.groups.map((group) => group.groupId),
  };
  for (const [kind, numbers] of Object.entries(inUse)) {
    const highest = numbers.reduce((most: number, number) => Math.max(most, number), 0);
    const floor = counters[kind as keyof typeof inUse];
    if (highest > floor) report('counters.json', `has the floor ${floor} for ${kind}, but ${highest} is in use`);
  }
  for (const groupId of repeated(counters.groups.map((group) => group.groupId)))
    report('counters.json', `has the groupId ${groupId} twice`);
  for (const name of repeated(counters.groups.map((group) => group.name))) report('counters.json', `has the group ${name} twice`);
}
