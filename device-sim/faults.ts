// Faults on request: by script (one entry for each command, in order) or by a seeded random generator.
import { z } from 'zod';
import type { Random } from './seeded-random.ts';

/** What goes wrong with one command. */
export type CommandFault =
  | { readonly kind: 'none' }
  /** The bolt is blocked on this movement. */
  | { readonly kind: 'jam' }
  /** The firmware hangs: nothing is done, nothing is said. */
  | { readonly kind: 'silence' }
  /** The lock executes the command, but never sends the reply. */
  | { readonly kind: 'lost-reply' }
  /** The lock refuses for a reason of its own. */
  | { readonly kind: 'refuse'; readonly error: string }
  /** The lock starts only after a while. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** The lock starts, and its connection breaks before the reply. */
  | { readonly kind: 'disconnect' };

/** What can be wrong with the memory for cards and passcodes, as long as it is switched on. */
export const memoryFaults = ['forgets', 'keeps', 'wrong-digest'] as const;
/**
 * `forgets`: it says ok to a card or passcode, and does not store it; `keeps`: it says ok to a removal, and removes nothing;
 * `wrong-digest`: the digest of what it holds is another one.
 */
export type MemoryFault = (typeof memoryFaults)[number];

const rate = z.number().min(0).max(1).default(0);

/** Rates are probabilities from 0 to 1 for each command. */
export const faultRates = z.strictObject({
  jam: rate,
  silence: rate,
  lostReply: rate,
  refuse: rate,
  slow: rate,
  /** How long a slow command waits. */
  slowMs: z.int().min(0).max(600_000).default(2_000),
  disconnect: rate,
  /** The lock sends every PUBLISH twice, and receives every command twice. */
  duplicates: z.boolean().default(false),
  memory: z.array(z.enum(memoryFaults)).default([]),
  /** How many events messages it leaves without PUBACK at a time; more than 20 breaks Protocol 4.4 rule 3. */
  eventsWindow: z.int().min(1).default(20),
});
export type FaultRates = z.infer<typeof faultRates>;

export interface Faults {
  /** True: every PUBLISH twice. */
  duplicates: boolean;
  /** Until it is switched off, the lock is silent on every command. */
  silent: boolean;
  /** How many events messages may be without PUBACK. */
  readonly eventsWindow: number;
  /** What is wrong with its memory now. */
  readonly memory: Set<MemoryFault>;
  /** The next commands meet these faults, one each; after that the rates decide again. */
  script(faults: readonly CommandFault[]): void;
  next(): CommandFault;
}

/** The faults of one lock. `random` is called in a fixed order, so that the same seed gives the same faults. */
export function createFaults(rates: FaultRates, random: Random): Faults {
  const scripted: CommandFault[] = [];
  const chances: readonly (readonly [number, CommandFault])[] = [
    [rates.jam, { kind: 'jam' }],
    [rates.silence, { kind: 'silence' }],
    [rates.lostReply, { kind: 'lost-reply' }],
    [rates.refuse, { kind: 'refuse', error: 'failed' }],
    [rates.slow, { kind: 'slow', delayMs: rates.slowMs }],
    [rates.disconnect, { kind: 'disconnect' }],
  ];
  return {
    duplicates: rates.duplicates,
    silent: false,
    // If the lock sends every message twice, half as many messages stay within the limit.
    eventsWindow: rates.duplicates ? rates.eventsWindow / 2 : rates.eventsWindow,
    memory: new Set(rates.memory),
    script(faults) {
      scripted.push(...faults);
    },
    next() {
      if (this.silent) return { kind: 'silence' };
      const ordered = scripted.shift();
      if (ordered !== undefined) return ordered;
      return chances.find(([probability]) => random() < probability)?.[1] ?? { kind: 'none' };
    },
  };
}
