// How a node that waits says how far it has come, and what it needs for doors.
import { expect, test } from '@jest/globals';
import { DomainError } from '../../../src/domain/errors.ts';
import type { DocumentTablesLayer } from '../../../src/stores/postgres/document-tables.ts';
import { createReplica } from '../../../src/stores/postgres/replica.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

function createWaiting() {
  const clock = createSettableClock();
  /** `newest`: in the database that has its row. */
  const state = {
    takenIn: 5,
    /** Up to which change the next look takes in. */
    comes: 5,
    newest: 5,
    isOpen: true,
    isReading: false,
    looked: 0,
    lookFails: false,
    loadFails: false,
    key: undefined as Buffer | undefined,
  };
  /** How far it is, by hint and in its row. */
  const said = { hints: [] as number[], row: [] as number[], order: [] as string[] };
  const tables: Pick<DocumentTablesLayer, 'canBeLoaded' | 'load' | 'look' | 'takenIn' | 'readFile'> = {
    canBeLoaded: async () => true,
    load: (stores) => stores(),
    async look() {
      if (state.lookFails) throw new DomainError('storage-unavailable', 'The database does not answer');
      state.takenIn = Math.max(state.takenIn, state.comes);
    },
    takenIn: () => state.takenIn,
    async readFile(path) {
      if (state.key === undefined) throw Object.assign(new Error(`${path} is missing`), { code: 'ENOENT' });
      return state.key;
    },
  };
  const replica = createReplica({
    clock,
    tables: tables as DocumentTablesLayer,
    lease: {
      async beginReading(applied) {
        said.row.push(applied);
        return state.newest;
      },
      reads() {
        state.isReading = true;
      },
      looked() {
        state.looked += 1;
      },
      readingLeftMs: () => (state.isReading ? 30_000 : 0),
    },
    hints: {
      isOpen: () => state.isOpen,
      sendApplied(_incarnation, applied) {
        said.order.push(`said ${applied}`);
        if (state.isOpen) said.hints.push(applied);
      },
      subscribe: () => () => undefined,
    },
    incarnation: 'b',
    async loadStores() {
      if (state.loadFails) throw new DomainError('storage-unavailable', 'The database does not answer');
    },
    readAhead: async () => undefined,
    onTakenIn: () => void said.order.push('in effect'),
  });
  let acquire = (): void => undefined;
  const following = replica.follow(
    new Promise<void>((resolve) => {
      acquire = resolve;
    }),
  );
  async function end(): Promise<void> {
    acquire();
    await following;
  }
  return { clock, state, said, replica, end };
}

test('how far it is stands in its row also while no hint reaches anybody, so that changes are told', async () => {
  const { clock, state, said, end } = createWaiting();
  await clock.advance(250);
  expect(said).toMatchObject({ hints: [5], row: [5] });
  [state.takenIn, state.isOpen] = [6, false];
  await clock.advance(250);
  expect(said.row).toEqual([5, 6]);
  [state.takenIn, state.isOpen] = [7, true];
  await clock.advance(250);
  expect(said).toMatchObject({ hints: [5, 7], row: [5, 6] });
  await end();
});

test('what a change forbids is ended before anybody is told that the change is known here', async () => {
  const { clock, state, said, end } = createWaiting();
  await clock.advance(250);
  said.order.length = 0;
  state.comes = 6;
  await clock.advance(250);
  expect(said.order).toEqual(['in effect', 'said 6']);
  await end();
});

test('it answers nothing from memory before it has read all that was changed where its row is, whichever server it reads from', async () => {
  const { clock, state, said, end } = createWaiting();
  state.newest = 6;
  await clock.advance(1_000);
  expect([state.isReading, said.hints]).toEqual([false, []]);
  state.takenIn = 6;
  await clock.advance(250);
  expect([state.isReading, said.hints]).toEqual([true, [6]]);
  await end();
});

test('it says of each look whether it has read all, and of none that has failed', async () => {
  const { clock, state, end } = createWaiting();
  await clock.advance(500);
  expect(state.looked).toBe(2);
  state.lookFails = true;
  await clock.advance(1_000);
  expect(state.looked).toBe(2);
  state.lookFails = false;
  await clock.advance(250);
  expect(state.looked).toBe(3);
  await end();
});

test('stores that are half full are not taken for a database that is away for a while: they end the start', async () => {
  const { state, replica, end } = createWaiting();
  state.loadFails = true;
  const failed = await replica.complete().catch((error: unknown) => error);
  expect(failed).toMatchObject({ message: 'The database does not answer' });
  expect(failed).not.toBeInstanceOf(DomainError);
  await end();
});

test('it finds the key of command ids also when the other one made that after it had read the rest', async () => {
  const { clock, state, replica, end } = createWaiting();
  await clock.advance(250);
  expect(replica.commandKey()).toBeUndefined();
  state.key = Buffer.alloc(32, 7);
  await clock.advance(250);
  expect(replica.commandKey()).toEqual(state.key);
  await end();
});
