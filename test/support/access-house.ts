// A house for rounds in which everything about access goes wrong at once: what all who act in it share.
import { type AccessLedger, createAccessLedger } from './access-ledger.ts';
import { type AccessTrail, createAccessTrail } from './access-trail.ts';
import type { Random } from './seeded-random.ts';
import { type Answer, type Item, type RequestOptions, type Site, until } from './site.ts';

export const access = '/api/v1/access';
const year = 31_536_000_000;
/** Well in the future, so that nothing ends meanwhile. */
export const ends = [0, Date.UTC(2099, 0, 1), Date.UTC(2099, 0, 1) + year];

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const patienceMs = 60_000;

/** A passcode that opens once, for one lock. */
export interface CodeOnce {
  readonly lock: number;
  readonly code: string;
  readonly entryId: number | undefined;
  admitted: number;
}

export interface HouseOptions {
  readonly site: Site;
  readonly random: Random;
  /** Locks by number; the first so many have the features of today. */
  readonly locks: number;
  readonly newLocks: number;
}

export interface AccessHouse extends Pick<HouseOptions, 'site' | 'random'> {
  readonly ledger: AccessLedger;
  readonly trail: AccessTrail;
  readonly did: AccessTrail['did'];
  readonly locks: readonly number[];
  readonly codes: CodeOnce[];
  /** Granted and ended while the lock was away. */
  readonly neverThere: { readonly lock: number; readonly number: string }[];
  /** Nobody begins anything any more. */
  isOver: boolean;
  /** The gateway is not dead. */
  isUp: boolean;
  hasFeatures(lock: number): boolean;
  /** How many things were done so far. */
  things(): number;
  whenUp(): Promise<void>;
  /** A number that nobody had before. */
  newNumber(): string;
  newCode(): string;
  pickLock(): number;
  /** How often this lock has begun or ceased to do something else than it says; odd: it does so now. */
  lies(lock: number): number;
  turnLies(lock: number): void;
  /** What is done at the door of one lock is done one after the other. */
  atDoor<T>(lock: number, action: () => Promise<T> | T): Promise<T>;
  /** undefined: nobody answered, and whether it was done is unknown. */
  ask(method: string, path: string, request?: RequestOptions): Promise<Answer | undefined>;
  /** Until somebody answers it. */
  insist(method: string, path: string, good: readonly (number | string)[], request?: RequestOptions): Promise<Answer>;
  /** As the gateway sees them; undefined: it did not answer. */
  entriesOf(lock: number): Promise<readonly Item[] | undefined>;
  /** As the lock has it in its memory. */
  holds(lock: number, number: string): boolean;
}

export function openHouse({ site, random, locks: count, newLocks }: HouseOptions): AccessHouse {
  const trail = createAccessTrail();
  const locks = Array.from({ length: count }, (_, index) => index + 1);
  const lies = new Map<number, number>();
  const turns = new Map<number, Promise<unknown>>();
  let serial = 0;

  async function ask(method: string, path: string, request: RequestOptions = {}): Promise<Answer | undefined> {
    try {
      return await site.api(method, path, request);
    } catch (error) {
      if (!['TypeError', 'SyntaxError'].includes((error as Error).name)) throw error;
      return undefined;
    }
  }
  const house: AccessHouse = {
    ...{ site, random, trail, locks, ledger: createAccessLedger(), codes: [], neverThere: [], isOver: false, isUp: true },
    did: trail.did,
    things: () => [...trail.tally.values()].reduce((sum, times) => sum + times, 0),
    whenUp: () => until(() => house.isUp, 'the gateway is up'),
    hasFeatures: (lock) => lock <= newLocks,
    newNumber: () => String(7_000_000 + ++serial),
    newCode() {
      serial += 1;
      return `${1 + (serial % 9)}${40_817 + 7 * serial}`;
    },
    pickLock: () => random.pick(locks),
    lies: (lock) => lies.get(lock) ?? 0,
    turnLies: (lock) => void lies.set(lock, house.lies(lock) + 1),
    atDoor(lock, action) {
      const turn = (turns.get(lock) ?? Promise.resolve()).then(action);
      turns.set(
        lock,
        turn.catch(() => undefined),
      );
      return turn;
    },
    ask,
    async insist(method, path, good, request = {}) {
      for (const deadline = performance.now() + patienceMs; ; ) {
        const answer = house.isUp ? await ask(method, path, request) : undefined;
        if (answer !== undefined && (good.includes(answer.status) || good.includes(answer.body.code))) return answer;
        if (answer?.body.code === 'storage-unavailable' || (answer !== undefined && answer.status < 500))
          throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
        if (performance.now() > deadline) throw new Error(`${method} ${path}: nobody answers`);
        await pause(20);
      }
    },
    entriesOf: async (lock) =>
      (await ask('GET', `${access}/locks/${site.lockId(lock)}/entries`, { query: { pageSize: 1_000 } }))?.body.list,
    holds: (lock, number) => site.lock(lock).memory.cards.some(({ cardNumber }) => cardNumber === number),
  };
  return house;
}
