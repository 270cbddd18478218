// Import and export of people and their grants as tables (HTTP API 12.5).
import type { Caller } from '../accounts/account.ts';
import { requireAccessRights } from '../accounts/permissions.ts';
import type { Clock } from '../clock.ts';
import type { AccessPause } from '../credentials/access-pause.ts';
import { DomainError, invalidParameter } from '../errors.ts';
import type { LocalLockView } from '../locks/lock-ports.ts';
import { createSemaphore } from '../mutex.ts';
import type { PageRequest } from '../page.ts';
import type { Part } from '../part.ts';
import type { Secrets } from '../secrets.ts';
import { exportTable, type Separator } from './export-table.ts';
import { planImport } from './import-plan.ts';
import type { ImportStore, StoredImport } from './import-ports.ts';
import type { ImportRunner } from './import-runner.ts';
import { changedSince, hashSurroundings, stepsOf } from './import-steps.ts';
import { createSlices, type NextTurn } from './in-slices.ts';
import type { LocalDays } from './local-days.ts';
import type { LocalPeopleView, ScheduleStore } from './people-ports.ts';
import type { Absent, ImportPlan, ImportWorld } from './planned-import.ts';
import type { Widening } from './widening.ts';

/** A dry run: the plan, and under which id it may be applied; null when it has errors. */
export interface DryRun {
  readonly plan: Omit<ImportPlan, 'people' | 'doors' | 'widened'>;
  readonly stored: Pick<StoredImport, 'importId' | 'plan'> | null;
}

export interface ImportProgress {
  readonly stored: StoredImport;
  /** Of the people that it changes. */
  readonly done: number;
  readonly of: number;
  readonly expireDate: number;
}

/** All methods are for access managers, and reject with `forbidden` for others. */
export interface ImportService {
  /**
   * Says what the table would change, and stores that for an hour. Rejects with `forbidden` when it lets somebody in at a lock of which the
   * caller is not manager, and with `rate-limited` when too many are under way.
   */
  dryRun(caller: Caller, text: string, absent: Absent): Promise<DryRun>;
  /**
   * Begins to apply the plan; resolves when that is stored. Rejects with `not-found`, with `conflict` when this is not its plan, when anything
   * it is about has changed since, or when another import is being applied; and with `forbidden` as the dry run.
   */
  apply(caller: Caller, importId: string, plan: string): Promise<void>;
  progress(caller: Caller, importId: string): ImportProgress;
  /** People on this page as a table. Rejects with `invalid-parameter` when it would be too large. */
  exportPeople(caller: Caller, page: PageRequest, separator: Separator): Promise<string>;
}

/** `start` goes on with what a stop or a crash has left. */
export type Imports = ImportService & Part;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const storedAtMost = 5;
const dryRunsAtMost = 5;
const exportedAtMost = 32 << 20;

export function createImportService(options: {
  readonly clock: Clock;
  readonly imports: ImportStore;
  readonly people: LocalPeopleView;
  readonly schedules: Pick<ScheduleStore, 'all'>;
  readonly locks: Pick<LocalLockView, 'all'>;
  readonly secrets: Pick<Secrets, 'hash' | 'newToken'>;
  readonly days: LocalDays;
  readonly runner: ImportRunner;
  readonly nextTurn: NextTurn;
  readonly widening: Pick<Widening, 'requireManaged'>;
  readonly pause: Pick<AccessPause, 'since'>;
}): Imports {
  const { clock, imports, people, schedules, locks, secrets, days, runner, nextTurn, widening, pause } = options;
  const slices = createSlices(clock, nextTurn);
  const oneByOne = createSemaphore(1);
  let waiting = 0;

  const world = (): ImportWorld => ({ people, locks: locks.all(), schedules: schedules.all(), days, now: clock.now() });
  const expireDate = ({ state, changedAt }: StoredImport): number => changedAt + (state === 'planned' ? hourMs : dayMs);

  async function purge(): Promise<void> {
    const over = imports.all().filter((one) => one.state !== 'applying' && expireDate(one) <= clock.now());
    for (const { importId } of over) await imports.remove(importId);
  }
  /** Makes room for one more: the oldest plan gives way. */
  async function makeRoom(): Promise<void> {
    await purge();
    const stored = imports.all();
    const oldest = stored.find(({ state }) => state === 'planned') ?? stored.find(({ state }) => state !== 'applying');
    if (stored.length >= storedAtMost && oldest !== undefined) await imports.remove(oldest.importId);
  }
  function known(importId: string): StoredImport {
    const one = imports.get(importId);
    if (one === undefined || (one.state === 'planned' && expireDate(one) <= clock.now()))
      throw new DomainError('not-found', `there is no import ${importId}; a plan expires after an hour`);
    return one;
  }
  /** One at a time, because each may hold much memory. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (waiting >= dryRunsAtMost) throw new DomainError('rate-limited', 'too many imports are under way', { retryAfterSeconds: 5 });
    waiting += 1;
    try {
      return await oneByOne(work);
    } finally {
      waiting -= 1;
    }
  }

  async function store(caller: Caller, plan: ImportPlan, absent: Absent, seen: ImportWorld): Promise<StoredImport> {
    const { steps, ...hashes } = await slices.run(stepsOf(plan, { absent, names: seen, hash: secrets.hash }));
    await makeRoom();
    const { lines, counts, locks, removesMoreThanAQuarter, widened, doors } = plan;
    const importId = secrets.hash(secrets.newToken()).slice(0, 16);
    const stored: StoredImport = {
      ...{ importId, ...hashes, doors, absent, createdAt: seen.now, createdBy: caller.username, lines, counts, locks },
      changes: steps.filter(({ target }) => target !== null).length,
      ...{ removesMoreThanAQuarter, widened, state: 'planned', appliedBy: null, changedAt: seen.now },
      ...{ conflicts: [], conflictCount: 0, reason: '' },
    };
    await imports.add(stored, steps);
    return stored;
  }

  /** It was under way when the backup was made: what became of it since, and whether it is wanted still, only a person knows. */
  function isFromBackup({ changedAt }: StoredImport): boolean {
    const restoredAt = pause.since();
    return restoredAt !== null && changedAt <= restoredAt;
  }
  async function end({ importId }: StoredImport): Promise<void> {
    const reason = 'a backup was restored while it was being applied: make a new dry run';
    await imports.update(importId, (newest) => ({ ...newest, state: 'stopped', reason, changedAt: clock.now() }));
  }

  async function requireUnchanged(one: StoredImport): Promise<void> {
    const { importId, doors, surroundings, absent, counts } = one;
    const now = await slices.run(hashSurroundings(doors, world(), secrets.hash));
    if (now !== surroundings) throw changed('a lock, a group or a schedule');
    const step = await slices.run(changedSince(await imports.steps(importId), people, secrets.hash));
    if (step !== undefined) throw changed(step.line === null ? `person ${step.personId}` : `the person of line ${step.line}`);
    const there = counts.updated + counts.unchanged + counts.extraneous;
    if (absent === 'revoke' && people.all().filter(({ removed }) => !removed).length !== there) throw changed('who there is');
  }

  return {
    name: 'imports',
    async start() {
      for (const one of imports.all()) {
        if (one.state !== 'applying') continue;
        // What cannot be stored now waits for the next start.
        if (isFromBackup(one)) await end(one).catch(() => undefined);
        else void runner.run(one.importId);
      }
      await purge().catch(() => undefined);
    },
    stop: () => runner.stop(),

    async dryRun(caller, text, absent) {
      requireAccessRights(caller);
      return inTurn(async () => {
        const seen = world();
        const plan = await slices.run(planImport(text, absent, seen));
        if (plan.errorCount > 0) return { plan, stored: null };
        widening.requireManaged(caller, plan.widened);
        return { plan, stored: await store(caller, plan, absent, seen) };
      });
    },

    async apply(caller, importId, plan) {
      requireAccessRights(caller);
      known(importId);
      await inTurn(async () => {
        const one = known(importId);
        if (one.plan !== plan) throw new DomainError('conflict', 'this is another plan than that of the dry run');
        if (one.state !== 'planned') throw new DomainError('conflict', `the import is ${one.state} already`);
        if (imports.all().some(({ state }) => state === 'applying')) throw new DomainError('conflict', 'another import is being applied');
        widening.requireManaged(caller, one.widened);
        await requireUnchanged(one);
        const { accountId, username, tokenId = null } = caller;
        const appliedBy = { accountId, username, tokenId };
        await imports.update(importId, (newest) => ({ ...newest, state: 'applying', appliedBy, changedAt: clock.now() }));
      });
      void runner.run(importId);
    },

    progress(caller, importId) {
      requireAccessRights(caller);
      const stored = known(importId);
      const of = stored.changes;
      const done = stored.state === 'applied' ? of : 0;
      return { stored, expireDate: expireDate(stored), ...(runner.progressOf(importId) ?? { done, of }) };
    },

    async exportPeople(caller, { pageNo, pageSize }, separator) {
      requireAccessRights(caller);
      const there = people.all().filter(({ removed }) => !removed);
      const page = there.slice((pageNo - 1) * pageSize, pageNo * pageSize);
      return slices.run(collected(exportTable(page, world(), separator)));
    },
  };
}

function changed(what: string): DomainError {
  return new DomainError('conflict', `${what} has changed since the dry run: make a new one`);
}

/** All pieces of a text; other work may run after each. */
function* collected(pieces: Generator<string>): Generator<undefined, string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length > exportedAtMost)
      throw invalidParameter('pageSize', `must be smaller: the table is larger than ${exportedAtMost >> 20} MiB`);
    yield;
  }
  return text;
}
