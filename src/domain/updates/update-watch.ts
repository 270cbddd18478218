// Whether a newer latchd is to be had, in the repository that this one was installed from.
import type { Clock } from '../clock.ts';
import type { Log, Part } from '../part.ts';

/** Why nobody knows, when the question has been answered. */
export type AnswerDoubt =
  /** This machine has no apt. */
  | 'no-apt'
  /** apt did not install this latchd: it comes from a clone, an archive or an image. */
  | 'not-installed'
  /** apt has installed another version than the one that runs. */
  | 'other-version'
  /** It was installed from a file: no repository of this machine has it. */
  | 'no-repository'
  /** apt gave no answer, or one that is not understood. */
  | 'failed';

/** What the program that installs software on this machine says of latchd. */
export type Offer =
  | { readonly installed: string; readonly newest: string; readonly isNewer: boolean }
  | { readonly doubt: Exclude<AnswerDoubt, 'other-version'> };

/** The port to that program. */
export interface Installer {
  /** Takes a bounded time, and never rejects. */
  ask(): Promise<Offer>;
  /** When it has last looked into its repositories, as epoch milliseconds; undefined: nobody can tell. Never rejects. */
  lastLook(): Promise<number | undefined>;
  /** Ends a question that is under way; its answer is then `failed`. Idempotent. */
  stop(): void;
}

export interface UpdateState {
  readonly state: 'off' | 'unknown' | 'newest' | 'available';
  /** The newest version in the repository; null: not known. */
  readonly version: string | null;
  /** Why it is not known; null: it is, or nobody asks. */
  readonly reason: AnswerDoubt | null;
}

/** What is known while the gateway runs. */
export interface KnownUpdateState extends Omit<UpdateState, 'reason'> {
  /** `not-asked`: the first answer has not come yet. */
  readonly reason: AnswerDoubt | 'not-asked' | null;
  /** Epoch milliseconds of the last answer; null: there was none. */
  readonly askedDate: number | null;
  /** When it had last looked into its repositories by then; null: not known. */
  readonly lookedDate: number | null;
}

export interface UpdateWatch extends Part {
  state(): KnownUpdateState;
}

const dayMs = 86_400_000;
/** An upgrade that has started this latchd may not be over when it asks: then it asks again, after twice as long each time. */
const firstAgainMs = 60_000;
const passing: readonly (AnswerDoubt | null)[] = ['failed', 'other-version'];

/** Asks once after the start, which does not wait for the answer, and then once a day; sooner after an answer that may be of a moment. */
export function createUpdateWatch(options: {
  readonly installer: Installer;
  /** The version that runs. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}): UpdateWatch {
  const { installer, version, clock, log } = options;
  let state: KnownUpdateState = { state: 'unknown', version: null, reason: 'not-asked', askedDate: null, lookedDate: null };
  let cancelTimer: (() => void) | undefined;
  let isRunning = false;
  let againMs = firstAgainMs;

  function nextInMs({ reason }: UpdateState): number {
    if (!passing.includes(reason)) return dayMs;
    const inMs = againMs;
    againMs = Math.min(2 * againMs, dayMs);
    return inMs;
  }
  async function look(): Promise<void> {
    const found = updateState(version, await installer.ask());
    const looked = await installer.lastLook();
    if (!isRunning) return;
    cancelTimer = clock.timer(nextInMs(found), () => void look());
    if (found.state === 'available' && found.version !== state.version)
      log.info({ code: 'update-available', newest: found.version }, 'a newer latchd is in its repository');
    state = { ...found, askedDate: clock.now(), lookedDate: looked ?? null };
  }

  return {
    name: 'updates',
    async start() {
      isRunning = true;
      void look();
    },
    async stop() {
      isRunning = false;
      cancelTimer?.();
      installer.stop();
    },
    state: () => state,
  };
}

/** In its place while nobody is to ask. */
export function createNoUpdateWatch(): UpdateWatch {
  return {
    name: 'updates',
    start: async () => undefined,
    stop: async () => undefined,
    state: () => ({ state: 'off', version: null, reason: null, askedDate: null, lookedDate: null }),
  };
}

/** `running`: the version of this latchd. Debian writes the `-` before a pre-release as `~`. */
export function updateState(running: string, offer: Offer): UpdateState {
  if ('doubt' in offer) return unknown(offer.doubt);
  if (offer.installed.replaceAll('~', '-') !== running) return unknown('other-version');
  return { state: offer.isNewer ? 'available' : 'newest', version: offer.newest, reason: null };
}

function unknown(reason: AnswerDoubt): UpdateState {
  return { state: 'unknown', version: null, reason };
}
