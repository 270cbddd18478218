// Applies an import person by person, in the background. It is stored first, so that a crash goes on with it; whoever is as planned already is
// passed over, and whoever somebody else has changed meanwhile is left alone.
import { type Caller, localAdministrator } from '../accounts/account.ts';
import type { AccountStore } from '../accounts/account-ports.ts';
import type { Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';
import type { Emit } from '../event-bus.ts';
import type { Secrets } from '../secrets.ts';
import type { ImportConflict, ImportStep, ImportStore, StoredImport } from './import-ports.ts';
import { baseOf, isAsTargeted, personMeant } from './import-steps.ts';
import type { LocalPeopleView } from './people-ports.ts';
import type { Person } from './person.ts';
import type { WholePeople } from './whole-person.ts';

export interface ImportRunner {
  /** Applies what is stored as `applying`. Never rejects. */
  run(importId: string): Promise<void>;
  /** How far the running import has come; undefined: it does not run. */
  progressOf(importId: string): { readonly done: number; readonly of: number } | undefined;
  /** Resolves when nothing is being changed any more; what is left goes on at the next start. */
  stop(): Promise<void>;
}

const peopleAtOnce = 4;
const conflictsAtMost = 100;
/** How long it waits before it tries again, when the disk is full. */
const againMs = 10_000;

export function createImportRunner(options: {
  readonly clock: Clock;
  readonly imports: ImportStore;
  readonly people: LocalPeopleView;
  readonly whole: Pick<WholePeople, 'become'>;
  /** Who applies it, as of now. Throws when the account or the token is gone, or may not do this any more. */
  readonly callerOf: (by: NonNullable<StoredImport['appliedBy']>) => Caller;
  readonly secrets: Pick<Secrets, 'hash'>;
  readonly emit: Emit;
}): ImportRunner {
  const { clock, imports, people, whole, callerOf, secrets, emit } = options;
  const running = new Map<string, { done: number; of: number; readonly ended: Promise<void> }>();
  let isStopped = false;
  /** What waits for the disk. */
  const waiting = new Set<() => void>();

  async function work(one: StoredImport, progress: { done: number; of: number }): Promise<void> {
    const steps = (await imports.steps(one.importId)).filter(({ target }) => target !== null);
    progress.of = steps.length;
    const conflicts: ImportConflict[] = [];
    let conflictCount = 0;
    let refusal: DomainError | undefined;
    async function next(): Promise<void> {
      for (let step = steps[progress.done]; step !== undefined && !isStopped && refusal === undefined; step = steps[progress.done]) {
        progress.done += 1;
        const problem = await apply(step, one);
        if (problem === undefined) continue;
        if (isForAll(problem)) refusal = problem;
        conflictCount += 1;
        if (conflicts.length < conflictsAtMost) conflicts.push({ line: step.line, personId: step.personId, message: problem.message });
      }
    }
    await Promise.all(Array.from({ length: peopleAtOnce }, next));
    if (isStopped) return;
    const state = refusal === undefined ? 'applied' : 'stopped';
    const reason = refusal?.message ?? '';
    emit('import-ended', { importId: one.importId, state, reason, people: steps.length, conflicts: conflictCount });
    await untilStored(() =>
      imports.update(one.importId, (newest) => ({ ...newest, state, reason, conflicts, conflictCount, changedAt: clock.now() })),
    );
  }

  /** undefined: the person is as planned. */
  async function apply(step: ImportStep, { appliedBy }: StoredImport): Promise<DomainError | undefined> {
    const { personId, base, target } = step;
    if (target === null || appliedBy === null) return undefined;
    const isStill = (newest: Person): boolean => baseOf(newest, secrets.hash) === base;
    try {
      await untilStored(() => whole.become(callerOf(appliedBy), personId, target, isStill));
      return undefined;
    } catch (error) {
      if (!(error instanceof DomainError))
        return new DomainError('internal-error', 'it stopped because of a bug in latchd', { cause: error });
      const person = personId === null ? personMeant(step, people) : people.get(personId);
      return person !== undefined && isAsTargeted(person, target) ? undefined : error;
    }
  }

  /** Tries again while the disk is full; gives up when the process ends. */
  async function untilStored<T>(change: () => Promise<T>): Promise<T | undefined> {
    while (!isStopped) {
      try {
        return await change();
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'storage-unavailable') throw error;
        if (isStopped) return undefined;
        await new Promise<void>((resolve) => {
          const cancel = clock.timer(againMs, wake);
          waiting.add(wake);
          function wake(): void {
            cancel();
            waiting.delete(wake);
            resolve();
          }
        });
      }
    }
    return undefined;
  }

  return {
    async run(importId) {
      const one = imports.get(importId);
      if (one?.state !== 'applying' || running.has(importId) || isStopped) return;
      const progress = { done: 0, of: 0 };
      const ended = work(one, progress).finally(() => running.delete(importId));
      running.set(importId, Object.assign(progress, { ended }));
      await ended.catch(() => undefined);
    },
    progressOf: (importId) => running.get(importId),
    async stop() {
      isStopped = true;
      for (const wake of waiting) wake();
      await Promise.allSettled([...running.values()].map(({ ended }) => ended));
    },
  };
}

/** A refusal that every other person would meet, too, above all because whoever applies it may not any more. */
function isForAll({ code }: DomainError): boolean {
  return code === 'internal-error' || code === 'forbidden' || code === 'token-invalid' || code === 'token-expired';
}

/** The account that applies an import, as it is now. Throws `forbidden` when it is gone. */
export function createStoredCaller(accounts: Pick<AccountStore, 'get'>) {
  return ({ accountId, tokenId, username }: NonNullable<StoredImport['appliedBy']>): Caller => {
    if (accountId === localAdministrator.accountId) return localAdministrator;
    const account = accounts.get(accountId);
    if (account === undefined) throw new DomainError('forbidden', `the account ${username} was removed`);
    const { gatewayAdministrator, accessManager } = account;
    return { accountId, username, gatewayAdministrator, accessManager, ...(tokenId !== null && { tokenId }) };
  };
}
