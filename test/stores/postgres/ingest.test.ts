// What waits for a database that is away: for ten seconds, and what comes after that is refused at once.
import { expect, test } from '@jest/globals';
import { createEventProgress, type Reservation } from '../../../src/domain/records/event-deduplication.ts';
import { OutcomeUnknownError } from '../../../src/stores/postgres/connection.ts';
import { createIngest } from '../../../src/stores/postgres/ingest.ts';
import type { StorableEvents } from '../../../src/stores/postgres/ingest-statement.ts';
import { createSettableClock, settled } from '../../support/settable-clock.ts';
import { lockId, sampleEvents } from '../files/support/samples.ts';

const one = lockId(1);

/** Over a database whose connection breaks at the first statement, and which answers again after `isBack`. */
function setUp() {
  const clock = createSettableClock();
  const progress = createEventProgress(() => []);
  let isBack = false;
  const lost = async () => {
    throw new OutcomeUnknownError('lost');
  };
  const ingest = createIngest({
    ...{ clock, progress, onStatement: () => undefined, onStored: async () => undefined },
    writer: { write: () => (isBack ? Promise.resolve([{ last: 1, stored: [1] }] as never[]) : lost()) },
    read: async () => (isBack ? () => progress.forget([one]) : lost()),
  });
  const reserve = (from: number, to: number) => progress.reservation(one, 'e', sampleEvents(from, to), () => 0);
  /** What becomes of events that nobody has reserved. */
  const store = (from: number, to: number) => outcomeOf(ingest.store(reserve(from, to) as StorableEvents));
  function comesBack(): void {
    isBack = true;
  }
  return { clock, progress, ingest, reserve, store, comesBack };
}

function outcomeOf(work: Promise<unknown>): { said: unknown } {
  const outcome: { said: unknown } = { said: undefined };
  const say = (said: unknown): void => {
    outcome.said = said;
  };
  work.then(say, ({ code }) => say(code));
  return outcome;
}

test('events wait ten seconds for a database that is away, what comes then is refused at once, and nothing of it stays reserved', async () => {
  const { clock, progress, ingest, reserve, store, comesBack } = setUp();
  const under = store(1, 2);
  await settled();
  const queued = store(3, 4);
  // The lock has connected anew, and sends again what is under way.
  const again = (reserve(1, 2) as Promise<void>).then(() => reserve(1, 2) as Reservation);
  const resent = outcomeOf(ingest.inTime(again));
  await clock.advance(9_999);
  expect([under, queued, resent].map(({ said }) => said)).toEqual([undefined, undefined, undefined]);
  ingest.requirePatience();
  await clock.advance(1);
  const refused = 'storage-unavailable';
  expect([under, queued, resent].map(({ said }) => said)).toEqual([refused, refused, refused]);
  expect(ingest.requirePatience).toThrow('The database does not take events now');
  await clock.advance(60_000);
  expect(ingest.requirePatience).toThrow('The database does not take events now');
  comesBack();
  await clock.advance(250);
  ingest.requirePatience();
  expect(progress.of(one, 'e')).toMatchObject({ highest: 0, gaps: [] });
  const after = store(1, 4);
  await settled();
  expect([after.said, clock.timers()]).toEqual(['stored', 0]);
});

test('what waits for a reservation has it when the database is back in time', async () => {
  const { clock, progress, ingest, reserve, store, comesBack } = setUp();
  const under = store(1, 2);
  await settled();
  const resent = outcomeOf(ingest.inTime((reserve(1, 2) as Promise<void>).then(() => reserve(1, 2) as Reservation)));
  comesBack();
  await clock.advance(1_000);
  expect([under.said, resent.said]).toMatchObject(['again', { fresh: [{ seq: 1 }, { seq: 2 }] }]);
  expect(progress.of(one, 'e').highest).toBe(2);
});
