// A power cut at any step of a store's work (Fault T1), on a disk that has only what was flushed. With real file systems and the daemon:
// npm run test:faults.
import { expect, test } from '@jest/globals';
import type { AccountId } from '../../../../src/domain/accounts/account.ts';
import type { AuditEntry } from '../../../../src/domain/audit/audit-action.ts';
import type { RecordDraft } from '../../../../src/domain/records/record.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import { sampleSignIn } from '../../../support/sample-sign-ins.ts';
import { sampleTtlockLogin, ttlockToken } from '../../../support/sample-ttlock.ts';
import { type CuttableFiles, cuttableFiles, type Left } from '../support/cuttable-files.ts';
import { type ManualClock, manualClock, testStore } from '../support/directory.ts';
import { everything, lockId, sampleEntry, sampleEvents, sampleLock, sampleRemovedLock, unsureEntry } from '../support/samples.ts';

const directory = '/disk/data';
const dayMs = 86_400_000;
const [first, second] = [lockId(1), lockId(2)];

/** Each event is of another command. */
const eventsOf = (from: number, to: number): RecordDraft[] => sampleEvents(from, to).map((event) => ({ ...event, command: event.seq }));

const one = sampleSignIn(1);
const other = sampleSignIn(2);

const guest = { accountId: 2 as AccountId, username: 'guest', gatewayAdministrator: false, accessManager: false, createdAt: 1 };
const guestToken = {
  ...{ kind: 'api' as const, tokenId: 2, accountId: guest.accountId, name: 'phone' },
  ...{ hash: '3'.repeat(64), createdAt: 1, expiresAt: null },
};
const login = sampleTtlockLogin();
const begun = ttlockToken(3);
const renewed = ttlockToken(4, { sessionId: begun.sessionId });
const jam = { kind: 'jammed', lockId: first, since: 1, reason: 'its bolt is jammed' } as const;
const brief = (cardId: number) => sampleEntry(cardId, 1);
const deed = (id: number): AuditEntry => ({
  ...{ id, at: Date.UTC(2026, 10, 21, 9), username: 'admin', address: '', action: 'unlock', object: 'lock 1', detail: '' },
  outcome: 'lock-busy',
});

/** What has been acknowledged: each number only rises. */
const nothing = {
  started: 0,
  alias: 0,
  cards: 0,
  isSecondThere: 0,
  isSecondGone: 0,
  cardId: 0,
  isCardOpen: 0,
  isCardThere: 0,
  isCardGone: 0,
  isGuestThere: 0,
  isGuestGone: 0,
  isLoggedIn: 0,
  isRenewed: 0,
  isLoggedOut: 0,
  isJammed: 0,
  isFreed: 0,
  deeds: 0,
  signedIn: 0,
  signedOut: 0,
  events: 0,
  recordId: 0,
  tried: 0,
};
type Kept = typeof nothing;

interface Cut {
  readonly left: ReadonlyMap<string, Buffer | 'folder'>;
  readonly kept: Kept;
}

/** Ignores unfinished files. */
function areSame(...cuts: [Cut['left'], Cut['left']]): boolean {
  const [a, b] = cuts.map((left) => [...left].filter(([path]) => !path.endsWith('.tmp')));
  return a?.length === b?.length && (a ?? []).every(([path, bytes]) => cuts[1].get(path) === bytes);
}

/** A first start, changes of locks and cards, events over two midnights with the sealing, a stop, a second start, more events. */
async function live(files: CuttableFiles, clock: ManualClock, kept: Kept): Promise<void> {
  let { store } = testStore(directory, { files, clock });
  const append = async (count: number): Promise<void> => {
    const from = kept.events + 1;
    kept.tried = kept.events + count;
    await store.ports.records.append(first, 'e', eventsOf(from, kept.tried));
    kept.events = kept.tried;
    kept.recordId = store.ports.records.newest();
  };
  const rename = async (n: number): Promise<void> => {
    await store.ports.locks.update(first, (lock) => ({ ...lock, alias: String(n) }));
    kept.alias = n;
  };
  await store.start();
  kept.started = 1;
  await store.ports.counters.next('lockId');
  await store.ports.locks.add(sampleLock(1, { alias: '0' }));
  await Promise.all([append(3), rename(1)]);
  await store.ports.counters.next('lockId');
  await store.ports.locks.add(sampleLock(2));
  kept.isSecondThere = 1;
  await rename(2);
  clock.advance(dayMs);
  await append(2);
  await Promise.all([store.maintenance.sealDays(), append(2)]);
  const cardId = await store.ports.counters.next('cardId');
  await store.ports.entries.update(first, () => ({ put: [sampleEntry(cardId, 1)] }));
  kept.cards = 1;
  await manage(store, kept);
  kept.isSecondThere = 0;
  await store.ports.removedLocks.add(sampleRemovedLock(2));
  await store.ports.locks.remove(second);
  kept.isSecondGone = 1;
  await Promise.all([one, other].map((signIn) => store.ports.signIns.begin(signIn)));
  kept.signedIn = 1;
  await store.ports.signIns.end([one.hash]);
  kept.signedOut = 1;
  await store.stop();
  clock.advance(dayMs);
  store = testStore(directory, { files, clock }).store;
  await store.start();
  await store.maintenance.sealDays();
  await append(2);
  await store.stop();
}

/** A card, an account and an alarm are added and removed, and each part of the audit log gets a line. */
async function manage(store: Store, kept: Kept): Promise<void> {
  const { counters, entries, accounts, ttlockLogins, alarms, audit } = store.ports;
  kept.cardId = await counters.next('cardId');
  await entries.update(first, () => ({ put: [unsureEntry(kept.cardId, 1)] }));
  kept.isCardOpen = 1;
  await entries.update(first, () => ({ put: [brief(kept.cardId)] }));
  kept.isCardThere = 1;
  await accounts.add(guest);
  await accounts.addToken(guestToken);
  kept.isGuestThere = 1;
  await ttlockLogins.put(login);
  await accounts.addToken(begun);
  kept.isLoggedIn = 1;
  await accounts.addToken(renewed, begun);
  kept.isRenewed = 1;
  kept.isLoggedIn = 0;
  await accounts.removeTokens([renewed.tokenId]);
  await ttlockLogins.remove([login.loginId]);
  kept.isLoggedOut = 1;
  await alarms.update(() => ({ active: [jam] }));
  kept.isJammed = 1;
  await audit.append(deed(await audit.nextId()));
  await audit.appendAttempt(deed(await audit.nextId()));
  kept.deeds = 2;
  kept.isCardOpen = kept.isCardThere = kept.isGuestThere = kept.isJammed = 0;
  const { entryId: cardId, number: cardNumber, name } = brief(kept.cardId);
  await entries.update(first, () => ({ remove: [cardId], past: [{ cardId, cardNumber, name, from: 0, to: 5 }] }));
  kept.isCardGone = 1;
  await accounts.remove(guest.accountId, 7);
  kept.isGuestGone = 1;
  await alarms.update(() => ({ ended: [jam] }));
  kept.isFreed = 1;
}

async function checkManaged(store: Store, kept: Kept): Promise<void> {
  const { locks, removedLocks, entries, accounts, ttlockLogins, alarms, audit, counters } = store.ports;
  const held = await entries.of(first);
  const { entryId: cardId, number: cardNumber, held: sure } = brief(kept.cardId);
  if (kept.isCardOpen === 1) expect(held.byId(cardId)).toBeDefined();
  if (kept.isCardThere === 1) expect(held.byId(cardId)?.held).toEqual(sure);
  if (kept.isCardGone === 1) expect([held.byId(cardId), held.past(cardNumber).length]).toEqual([undefined, 1]);
  if (kept.cardId > 0) expect(await counters.next('cardId')).toBeGreaterThan(kept.cardId);
  const isGuest = [accounts.get(guest.accountId), accounts.token(guestToken.tokenId)].map((one) => one !== undefined);
  if (kept.isGuestThere === 1) expect(isGuest).toEqual([true, true]);
  if (kept.isGuestGone === 1) expect([...isGuest, accounts.nameOf(guest.accountId)]).toEqual([false, false, guest.username]);
  const sessions = accounts.tokensOfLogin(login.loginId);
  // Never both tokens of a session, and never a session without its login.
  expect(sessions.length).toBeLessThanOrEqual(ttlockLogins.all().length);
  if (kept.isLoggedIn === 1) expect([[begun], [renewed]]).toContainEqual(sessions);
  if (kept.isRenewed === 1) expect([[renewed], []]).toContainEqual(sessions);
  if (kept.isLoggedOut === 1) expect([sessions, ttlockLogins.all()]).toEqual([[], []]);
  const active = alarms.all().length;
  if (kept.isJammed === 1) expect(active).toBe(1);
  if (kept.isFreed === 1) expect(active).toBe(0);
  const { total } = await audit.page({ from: 0, to: Number.MAX_SAFE_INTEGER, pageNo: 1, pageSize: 1 });
  expect(total).toBeGreaterThanOrEqual(kept.deeds);
  if (kept.isSecondGone === 1) expect(removedLocks.get(second)).toBeDefined();
  if (locks.get(second) !== undefined) expect(removedLocks.get(second)).toBeUndefined();
}

/** Everything acknowledged is there, nothing is there twice, no number is given out again, and each command has named somebody once. */
async function check(store: Store, kept: Kept): Promise<void> {
  const lock = store.ports.locks.get(first);
  if (kept.events > 0) expect(Number(lock?.alias ?? -1)).toBeGreaterThanOrEqual(kept.alias);
  expect((await store.ports.entries.of(first)).entries.length).toBeGreaterThanOrEqual(kept.cards);
  if (kept.isSecondThere === 1) expect(store.ports.locks.get(second)).toBeDefined();
  if (kept.isSecondGone === 1) expect(store.ports.locks.get(second)).toBeUndefined();
  await checkManaged(store, kept);
  const signIns = store.ports.signIns.all().map(({ hash }) => hash);
  if (kept.signedIn === 1) expect(signIns).toContain(other.hash);
  if (kept.signedOut === 1) expect(signIns).not.toContain(one.hash);
  const seqs = async (): Promise<number[]> =>
    (await store.ports.records.page({ lockId: first, ...everything })).list.map(({ seq }) => seq).toReversed();
  const found = await seqs();
  expect(found.length).toBeGreaterThanOrEqual(kept.events);
  expect(found).toEqual(found.map((_, n) => n + 1));
  // A lock sends again what was not acknowledged.
  await store.ports.records.append(first, 'e', eventsOf(1, kept.tried + 1));
  expect(await seqs()).toEqual(Array.from({ length: kept.tried + 1 }, (_, n) => n + 1));
  expect(store.ports.records.newest()).toBeGreaterThan(kept.recordId);
  await store.ports.records.append(first, 'replayed', eventsOf(1, kept.tried + 1));
  const { list } = await store.ports.records.page({ lockId: first, ...everything });
  for (const { epoch, seq, command, username } of list) {
    expect([command, username !== '']).toEqual(epoch === 'e' ? [seq, true] : [undefined, false]);
  }
}

test.each<Left>(['least', 'names'])(
  'everything acknowledged is there after a power cut at any step that leaves %s beside what was flushed',
  async (how) => {
    const files = cuttableFiles(new Map([['/disk', 'folder']]));
    const clock = manualClock();
    const kept = { ...nothing };
    const cuts: Cut[] = [];
    files.onChange = () => {
      // The lock of a process that has ended does not count.
      const left = new Map([...files.left(how)].filter(([path]) => !path.includes('latchd.lock')));
      const last = cuts.at(-1);
      if (last && areSame(last.left, left)) cuts.pop();
      // For the same bytes, the most that was acknowledged.
      cuts.push({ left, kept: { ...kept } });
    };
    await live(files, clock, kept);
    files.onChange();
    expect(cuts.length).toBeGreaterThan(25);
    for (const { left, kept } of cuts) {
      const { store, fatal } = testStore(directory, { files: cuttableFiles(left), clock });
      await store.start();
      await check(store, kept);
      await store.stop();
      expect(fatal).toEqual([]);
    }
  },
);
