import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../src/domain/accounts/account.ts';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import { reportEntries } from '../../../src/domain/credentials/entry-news.ts';
import type { LiveEvent } from '../../../src/domain/events/live-event.ts';
import { liveEventView } from '../../../src/http/api/views.ts';
import { callers, createDomain, type Domain, lockId } from '../../support/domain.ts';
import { someEntry, surely } from '../../support/entries.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await turn();
}

/** What the caller hears of entries, as listeners get it. */
function heardBy({ live }: Domain, caller: Caller) {
  const heard: object[] = [];
  live.subscribe({
    caller,
    onEvent: (event: LiveEvent) => void (event.type === 'entry' && heard.push(liveEventView(event))),
    accountChanged: () => undefined,
  });
  return heard;
}
const put = ({ entries }: Domain, ...all: ReturnType<typeof someEntry>[]) => entries.update(lockId, () => ({ put: all }));

describe('news of what a lock holds', () => {
  it('comes to managers of the lock and to nobody else, without the number', async () => {
    const domain = await createDomain();
    const heard = { manager: heardBy(domain, callers.manager), operator: heardBy(domain, callers.operator) };
    await put(domain, someEntry(41, { number: '1325672378' }), someEntry(42, { kind: 'passcode', number: '482913', held: null }));
    await turns();
    expect(heard.operator).toEqual([]);
    const same = { lockId, personId: null, credentialId: null, since: 1 };
    expect(heard.manager).toEqual([
      { ...same, entryId: 41, kind: 'card', name: 'card 41', status: 'on-lock', why: null },
      { ...same, entryId: 42, kind: 'passcode', name: 'card 42', status: 'pending', why: expect.any(String) },
    ]);
    expect(JSON.stringify(heard)).not.toMatch(/1325672378|482913/);
  });

  it('comes when the entry is gone, and not when the lock has only confirmed it', async () => {
    const domain = await createDomain();
    await put(domain, someEntry(41));
    const heard = heardBy(domain, callers.manager);
    domain.emit('entries-looked-at', { lockId, isOther: true });
    await turns();
    expect(heard).toMatchObject([{ entryId: 41, status: 'on-lock' }]);
    await put(domain, someEntry(41, { held: { ...surely(), basisDate: 900 } }));
    await turns();
    expect(heard).toHaveLength(1);
    await domain.entries.update(lockId, () => ({ remove: [41 as CardId] }));
    await turns();
    expect(heard.slice(1)).toMatchObject([{ entryId: 41, status: 'ended', why: null }]);
  });

  it('comes when only the status is another: what waited for its turn waits for the lock', async () => {
    const domain = await createDomain();
    await put(domain, someEntry(41, { held: null }), someEntry(42));
    const heard = heardBy(domain, callers.manager);
    domain.emit('entries-looked-at', { lockId, isOther: false });
    await turns();
    const [first, ...others] = heard;
    expect([first, others]).toMatchObject([{ entryId: 41, status: 'pending' }, []]);
    domain.link.disconnect(lockId, 'gone');
    domain.emit('lock-offline', { lockId, reason: 'gone' });
    await turns();
    expect(heard.slice(1)).toMatchObject([{ entryId: 41, status: 'pending', why: 'offline' }]);
    domain.emit('entries-looked-at', { lockId, isOther: false });
    await turns();
    expect(heard).toHaveLength(2);
  });

  it('costs nothing while nobody listens to the lock', async () => {
    const domain = await createDomain();
    heardBy(domain, callers.stranger);
    const before = domain.notices.length;
    await put(domain, someEntry(41));
    domain.emit('entries-looked-at', { lockId, isOther: true });
    await turns();
    expect(domain.notices.slice(before).filter(({ kind }) => kind === 'entry-reported')).toEqual([]);
  });

  it('of a thousand entries at once lets other work go on in between', async () => {
    const domain = await createDomain();
    const seen: string[] = [];
    let ms = 0;
    reportEntries({
      ...{ events: domain.events, locks: domain.locks, entries: domain.entries, people: domain.people },
      // A millisecond for each look at the clock.
      clock: { now: domain.clock.now, monotonic: () => ms++ },
      live: { isHeard: () => true },
      views: {
        *onLock() {
          yield undefined;
          return { now: 0, wanted: () => null };
        },
      } as never,
      reconciler: { statesOf: () => () => ({ status: 'on-lock', why: null, since: 1, lockError: null, nextDate: null }) },
      nextTurn: async () => {
        seen.push('turn');
        await turn();
      },
    });
    domain.events.subscribe('entry-reported', ({ entry }) => void seen.push(`entry ${entry.entryId}`));
    await put(domain, ...Array.from({ length: 1_000 }, (_, at) => someEntry(at + 1)));
    for (let n = 0; n < 2_000; n++) await turn();
    expect(seen.filter((one) => one !== 'turn')).toHaveLength(1_000);
    const runs = seen
      .join(' ')
      .split('turn')
      .map((run) => run.split('entry').length - 1);
    expect(Math.max(...runs)).toBeLessThanOrEqual(5);
  });
});
