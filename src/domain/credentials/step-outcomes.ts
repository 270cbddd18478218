// What came of the steps of a lock in this run of the gateway: what is tried again, and what the next listing must show.
import type { LockId } from '../locks/lock.ts';
import type { Breaker } from './breaker.ts';
import type { CardId } from './card.ts';
import { isSameWindow, type ValidWindow } from './entry.ts';
import type { EntryStore } from './entry-ports.ts';
import type { Step } from './plan.ts';
import type { StepResult } from './step-runner.ts';

export interface StepOutcomes {
  note(step: Step, result: StepResult): void;
  /** After a listing: whether the steps in doubt were taken after all. */
  judge(): Promise<void>;
  /** Its batch was refused. */
  isAlone(entryId: CardId): boolean;
  /** The next listing shows what came of some steps. */
  hasDoubts(): boolean;
}

export function createStepOutcomes(breaker: Breaker, entries: Pick<EntryStore, 'of'>, lockId: LockId): StepOutcomes {
  const doubted = new Map<CardId, { readonly window: ValidWindow | null; readonly error: string }>();
  const alone = new Set<CardId>();

  function done(step: Step, entryId: CardId): void {
    breaker.succeeded(entryId);
    alone.delete(entryId);
    if (step.kind === 'remove') breaker.hasRoom();
  }

  return {
    note(step, result) {
      for (const item of step.items) {
        const { entryId } = item.entry;
        if (result.kind === 'doubted') doubted.set(entryId, { window: 'window' in item ? item.window : null, error: result.error });
        else if (result.kind === 'unsent') breaker.failed(entryId, step.kind, 'unsent');
        else if (result.kind === 'refused' && step.items.length > 1) alone.add(entryId);
        else if (result.kind === 'refused') breaker.failed(entryId, step.kind, result.error);
        else if (result.kind === 'done') {
          const error = result.failed.get(entryId);
          if (error === undefined) done(step, entryId);
          else breaker.failed(entryId, step.kind, error);
        }
      }
    },
    async judge() {
      const there = await entries.of(lockId);
      for (const [entryId, { window, error }] of doubted) {
        const entry = there.byId(entryId);
        if (entry === undefined || isSameWindow(entry.held?.window ?? null, window)) breaker.succeeded(entryId);
        else breaker.failed(entryId, window === null ? 'remove' : 'put', error);
      }
      doubted.clear();
    },
    isAlone: (entryId) => alone.has(entryId),
    hasDoubts: () => doubted.size > 0,
  };
}
