// What a lock does for each op that does not move the bolt (Protocol 5.1), with its arguments checked.
import type { z } from 'zod';
import { commandArguments } from '../src/drivers/native/messages.ts';
import { alwaysValid, findCard, sorted, withCard, withoutCard } from './card-memory.ts';
import type { Answer } from './command-desk.ts';
import type { MemoryFault } from './faults.ts';
import type { LockClock } from './lock-clock.ts';
import type { LockMemory, MemoryContents } from './lock-memory.ts';
import type { LockProfile } from './lock-profile.ts';

/** What an operation may read and change. */
export interface OperationTarget {
  readonly memory: LockMemory;
  readonly clock: LockClock;
  readonly profile: LockProfile;
  /** What is wrong with its memory now. */
  readonly faults: ReadonlySet<MemoryFault>;
  /** Publishes state and battery again. */
  reportStatus(): void;
  /** Called when the auto lock timer, or a setting that it depends on, has changed. */
  autoLockChanged(): void;
  /** Publishes stored events again; resolves after their PUBACKs. */
  resendEvents(epoch: string, from: number, to: number): Promise<void>;
}

export type Operation = (target: OperationTarget, args: unknown) => Answer | Promise<Answer>;

export const done: Answer = { ok: true };

export function refused(error: string, message: string): Answer {
  return { ok: false, error, message };
}

/** Checks the arguments before `run`; refuses wrong ones as `failed`. */
export function operation<T>(schema: z.ZodType<T>, run: (target: OperationTarget, args: T) => Answer | Promise<Answer>): Operation {
  return (target, args) => {
    const checked = schema.safeParse(args);
    return checked.success ? run(target, checked.data) : refused('failed', 'wrong arguments');
  };
}

/** Replies `ok` only when the change is on the disk; a failed write changes nothing. */
export async function store(memory: LockMemory, changes: Partial<MemoryContents>): Promise<Answer> {
  const { cards, passcodes, used, settings: before, autoLockSeconds } = memory.contents;
  memory.change(changes);
  try {
    await memory.saved();
    return done;
  } catch {
    memory.change({ cards, passcodes, used, settings: before, autoLockSeconds });
    return refused('failed', 'the memory could not be written');
  }
}

function putCard(target: OperationTarget, args: z.infer<(typeof commandArguments)['add-card']>): Answer | Promise<Answer> {
  if (args.endDate !== 0 && args.endDate < args.startDate) return refused('failed', 'endDate is before startDate');
  if (!alwaysValid(args) && target.clock.now() === undefined) return refused('clock-not-set', 'the clock is not set'); // Protocol 5.3 rule 4
  if (target.faults.has('forgets')) return done;
  return store(target.memory, { cards: withCard(target.memory.contents.cards, args) });
}

/** Every op but lock and unlock; any other op is `not-supported`. */
export const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [
    'set-auto-lock',
    operation(commandArguments['set-auto-lock'], async (target, { seconds }) => {
      const answer = await store(target.memory, { autoLockSeconds: seconds });
      target.autoLockChanged();
      return answer;
    }),
  ],
  [
    'add-card',
    operation(commandArguments['add-card'], (target, args) => {
      const { cards } = target.memory.contents;
      const isNew = findCard(cards, args.cardNumber) === undefined;
      const { cardCapacity } = target.profile;
      if (isNew && cards.length >= cardCapacity) return refused('no-space', `all ${cardCapacity} places are taken`);
      return putCard(target, args);
    }),
  ],
  [
    'update-card',
    operation(commandArguments['update-card'], (target, args) => {
      const found = findCard(target.memory.contents.cards, args.cardNumber);
      return found === undefined ? refused('not-found', 'no such card') : putCard(target, args);
    }),
  ],
  [
    'remove-card',
    operation(commandArguments['remove-card'], (target, args) =>
      target.faults.has('keeps') ? done : store(target.memory, { cards: withoutCard(target.memory.contents.cards, args.cardNumber) }),
    ),
  ],
  [
    'list-cards',
    operation(commandArguments['list-cards'], (target, { offset, limit }) => {
      const all = sorted(target.memory.contents.cards).map(({ cardNumber, startDate, endDate }) => ({ cardNumber, startDate, endDate }));
      return { ok: true, result: { cards: all.slice(offset, offset + limit), total: all.length } };
    }),
  ],
  [
    'set-settings',
    operation(commandArguments['set-settings'], async (target, changes) => {
      if (Object.keys(changes).length === 0) return refused('failed', 'no setting that this lock knows');
      const answer = await store(target.memory, { settings: { ...target.memory.contents.settings, ...changes } });
      target.autoLockChanged();
      return answer;
    }),
  ],
  [
    'set-clock',
    operation(commandArguments['set-clock'], (target, { now, timezoneRawOffset }) => {
      if (!target.clock.set(now)) return refused('not-supported', 'this lock has no clock');
      return store(target.memory, { timezoneRawOffset });
    }),
  ],
  [
    'get-status',
    operation(commandArguments['get-status'], (target) => {
      target.reportStatus();
      const { autoLockSeconds, settings } = target.memory.contents;
      return { ok: true, autoLockTime: autoLockSeconds, settings };
    }),
  ],
  [
    'resend-events',
    operation(commandArguments['resend-events'], async (target, { epoch, from, to }) => {
      await target.resendEvents(epoch, from, to);
      return done;
    }),
  ],
]);
