// What must be there after a power cut, and what of it is not.
import { isUnsure } from '../../src/domain/credentials/lock-entries.ts';
import type { LockId } from '../../src/domain/locks/lock.ts';
import { createSecrets } from '../../src/stores/files/documents/secrets.ts';
import { createStore, type Store } from '../../src/stores/files/store.ts';
import { everything } from '../stores/files/support/samples.ts';

/** For each subject the highest number that was acknowledged, and how many acknowledgements there were. */
export type Acknowledged = Map<string, { highest: number; count: number }>;

export function noteAcknowledged(acknowledged: Acknowledged, line: string): void {
  const [, subject, number] = /^(.+) (\d+)$/.exec(line) ?? [];
  if (subject === undefined) return;
  const known = acknowledged.get(subject) ?? { highest: 0, count: 0 };
  acknowledged.set(subject, { highest: Number(number), count: known.count + 1 });
}

/** Starts a store on the directory and stops it again. Rejects when it does not start. */
export async function whatIsMissing(directory: string, acknowledged: Acknowledged): Promise<string[]> {
  const missing: string[] = [];
  const quiet = (): void => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet };
  const clock = { now: Date.now, monotonic: Date.now, timer: () => quiet };
  const store = createStore({ directory, clock, log, secrets: createSecrets(), onFatal: (error) => missing.push(String(error)) });
  await store.start();
  for (const { file, reason } of store.maintenance.disabledLocks()) missing.push(`${file} is disabled: ${reason}`);
  for (const [subject, { highest }] of acknowledged) missing.push(...(await missingOf(store, subject, highest, acknowledged)));
  await store.maintenance.sealDays();
  missing.push(...(await doubles(store)));
  await store.stop();
  return missing;
}

async function missingOf(store: Store, subject: string, highest: number, acknowledged: Acknowledged): Promise<string[]> {
  const [kind, lock, epoch] = subject.split(' ');
  const lockId = Number(lock) as LockId;
  const found = await foundOf(store, kind ?? '', lockId, epoch ?? '', acknowledged);
  return found >= highest ? [] : [`${subject}: ${highest} was acknowledged, up to ${found} is there`];
}

async function foundOf(store: Store, kind: string, lockId: LockId, epoch: string, acknowledged: Acknowledged): Promise<number> {
  if (kind === 'event') {
    const { highest, gaps } = store.ports.records.progress(lockId, epoch);
    return gaps.length === 0 ? highest : (gaps[0]?.[0] ?? 1) - 1;
  }
  if (kind === 'card' || kind === 'open') {
    const { entries } = await store.ports.entries.of(lockId);
    return Number(entries.findLast((entry) => kind === 'open' || !isUnsure(entry))?.name ?? 0);
  }
  if (kind === 'number') return (await store.ports.counters.next('tokenId')) - 1;
  const known = acknowledged.get('lock')?.highest ?? 0;
  const removed = acknowledged.get('removed')?.highest ?? 0;
  for (let n = 100; n <= known; n++) {
    const isThere = store.ports.locks.get(n as LockId)?.alias === 'changed';
    // The one whose removal was under way may be there or not.
    const mustBeGone = n % 3 === 0 && n <= removed;
    const mustBeThere = n % 3 !== 0;
    if ((mustBeGone && isThere) || (mustBeThere && !isThere)) return n - 1;
  }
  return Number.MAX_SAFE_INTEGER;
}

/** Every record of a lock is there once, and what the log says it has is what its pages show. */
async function doubles(store: Store): Promise<string[]> {
  const problems: string[] = [];
  const recordIds = new Set<number>();
  for (const { lockId } of store.ports.locks.all()) {
    const events = new Set<string>();
    let shown = 0;
    for (let pageNo = 1, pages = 1; pageNo <= pages; pageNo++) {
      const page = await store.ports.records.page({ lockId, ...everything, pageNo });
      pages = page.pages;
      shown += page.list.length;
      for (const { epoch, seq, recordId } of page.list) {
        events.add(`${epoch} ${seq}`);
        recordIds.add(recordId);
      }
      if (pageNo === pages && shown !== page.total) problems.push(`lock ${lockId}: ${page.total} records are counted, ${shown} are shown`);
    }
    if (events.size !== shown) problems.push(`lock ${lockId}: ${shown - events.size} records are there twice`);
  }
  if (recordIds.size !== store.ports.records.count()) problems.push('a recordId was given twice');
  return problems;
}
