// The load of the power-cut test: a store to which everything happens at once, each acknowledgement one line on stdout.

import type { Clock } from '../../src/domain/clock.ts';
import type { CardId } from '../../src/domain/credentials/card.ts';
import type { Entry } from '../../src/domain/credentials/entry.ts';
import type { LockId } from '../../src/domain/locks/lock.ts';
import { createSecrets } from '../../src/stores/files/documents/secrets.ts';
import { type FileLayer, nodeFiles } from '../../src/stores/files/files.ts';
import { createStore, type Store } from '../../src/stores/files/store.ts';
import { sampleEntry, sampleEvent, sampleLock, unsureEntry } from '../stores/files/support/samples.ts';

const locks = 12;
const writers = 4;

/** A clock of which a day passes in 400 ms, so that days begin and are sealed under the load. */
export function fastClock(): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * 216_000,
    monotonic: () => (Date.now() - start) * 216_000,
    timer(delayMs, action) {
      const timer = setTimeout(action, delayMs / 10);
      return () => clearTimeout(timer);
    },
  };
}

/** Never returns. Each line: what it is about, a space, and a number that only rises. */
export async function pourIn(directory: string, withFlushes: boolean, ready: () => void): Promise<void> {
  const quiet = (): void => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet };
  const store = createStore({
    directory,
    clock: fastClock(),
    log,
    secrets: createSecrets(),
    onFatal: () => process.exit(70),
    files: withFlushes ? nodeFiles() : unflushed(nodeFiles()),
  });
  await store.start();
  for (let n = 1; n <= locks; n++) await store.ports.locks.add(sampleLock(n, { roles: [] }));
  const acknowledge = (subject: string, number: number): void => {
    process.stdout.write(`${subject} ${number}\n`);
  };
  ready();
  await Promise.all([
    ...Array.from({ length: locks * writers }, (_, n) =>
      events(store, ((n % locks) + 1) as LockId, `w${Math.floor(n / locks)}`, acknowledge),
    ),
    ...Array.from({ length: 3 }, (_, n) => cards(store, (n + 1) as LockId, acknowledge)),
    numbers(store, acknowledge),
    moreLocks(store, acknowledge),
    sealing(store),
  ]);
}

type Acknowledge = (subject: string, number: number) => void;

async function events(store: Store, lockId: LockId, epoch: string, acknowledge: Acknowledge): Promise<void> {
  for (let seq = 1; ; seq++) {
    await store.ports.records.append(lockId, epoch, [sampleEvent(seq)]);
    acknowledge(`event ${lockId} ${epoch}`, seq);
  }
}
/** At most 40 cards, so that most of what their file holds is no longer so, and it is written anew: the name of the last one counts on. */
async function cards(store: Store, lockId: LockId, acknowledge: Acknowledge): Promise<void> {
  const there: CardId[] = [];
  for (let n = 1; ; n++) {
    const cardId = (await store.ports.counters.next('cardId')) as CardId;
    const entry = (make: typeof sampleEntry): Entry => ({ ...make(n, lockId, { name: `${n}` }), entryId: cardId });
    there.push(cardId);
    // As a change of a card does: its outcome is open first, then it is there.
    await store.ports.entries.update(lockId, () => ({ put: [entry(unsureEntry)] }));
    acknowledge(`open ${lockId}`, n);
    await store.ports.entries.update(lockId, () => ({ put: [entry(sampleEntry)], remove: there.length > 40 ? there.splice(0, 1) : [] }));
    acknowledge(`card ${lockId}`, n);
  }
}
async function numbers(store: Store, acknowledge: Acknowledge): Promise<void> {
  for (;;) acknowledge('number', await store.ports.counters.next('tokenId'));
}
async function moreLocks(store: Store, acknowledge: Acknowledge): Promise<void> {
  for (let n = 100; ; n++) {
    await store.ports.locks.add(sampleLock(n, { roles: [] }));
    await store.ports.locks.update(n as LockId, (lock) => ({ ...lock, alias: 'changed' }));
    acknowledge('lock', n);
    if (n % 3 === 0) {
      await store.ports.locks.remove(n as LockId);
      acknowledge('removed', n);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
async function sealing(store: Store): Promise<void> {
  for (;;) {
    await store.maintenance.sealDays();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The mistake that the test must be able to find. */
function unflushed(files: FileLayer): FileLayer {
  const nothing = async (): Promise<void> => undefined;
  return {
    ...files,
    syncFolder: nothing,
    open: async (path, mode) => ({ ...(await files.open(path, mode === 'journal' ? 'update' : mode)), sync: nothing }),
  };
}
