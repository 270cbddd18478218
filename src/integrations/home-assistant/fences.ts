// What a message on a command topic must get past before anybody asks a lock: its form, and that it was said now, once, by somebody who
// clicked. MQTT keeps messages in many places and hands them over later; no fence relies on another one.
import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import type { OpenState } from '../../domain/locks/lock.ts';
import type { StallDetector } from '../../domain/locks/stall-detector.ts';
import { repeatedMembers } from '../../domain/repeated-members.ts';
import type { HomeMessage } from './broker-port.ts';
import type { HomeCommandTopic } from './topics.ts';

/** Why a command did nothing; judged in the order of this list, from `malformed` on. */
export type RefusalReason =
  | 'malformed'
  | 'retained'
  | 'no-date'
  | 'clock'
  | 'late'
  | 'repeated'
  | 'code'
  | 'throttled'
  | 'forbidden'
  | 'lock-offline'
  | 'lock-busy'
  | 'lock-timeout'
  | 'failed';

export interface Refused {
  readonly reason: RefusalReason;
  /** With `late`: since when, by its date, it is on its way; below 0 for a date that is still to come. */
  readonly ageMs?: number;
  /** With `failed`: what the lock said, or the code of the error. */
  readonly detail?: string;
}

type HomeCommand =
  | { readonly kind: 'bolt'; readonly wanted: OpenState; readonly code: string | undefined }
  | { readonly kind: 'auto-lock'; readonly seconds: number }
  | { readonly kind: 'alarm' };

/** A command that got past the fences. It is to be judged again whenever something has waited. */
export interface TimelyCommand {
  readonly command: HomeCommand;
  /** Milliseconds on the monotonic clock: by then it is late. */
  readonly lateBy: number;
  /** How old it is if it is too old now; undefined: it is not. */
  lateMs(): number | undefined;
}

export interface Fences {
  /** `isAnnounced`: Home Assistant knows the lock. Dates for other locks are not remembered: nothing is done with them. */
  judge(kind: HomeCommandTopic['kind'], message: HomeMessage, isAnnounced: boolean): TimelyCommand | Refused;
}

const bytesAtMost = 1_024;
const aheadAtMostMs = 2_000;
/** Of one topic within the time in which a command may come: more than people click. */
const datesAtMost = 64;

const at = z.int().exactOptional();
const schemas = {
  bolt: z
    .strictObject({ do: z.enum(['LOCK', 'UNLOCK']), at, code: z.string().exactOptional() })
    .transform(({ do: what, code, ...dated }) => ({
      ...dated,
      command: { kind: 'bolt' as const, wanted: what === 'LOCK' ? ('locked' as const) : ('unlocked' as const), code },
    })),
  'auto-lock': z
    .strictObject({ seconds: z.int().min(0).max(65_535), at })
    .transform(({ seconds, ...dated }) => ({ ...dated, command: { kind: 'auto-lock' as const, seconds } })),
  alarm: z
    .strictObject({ do: z.literal('SEEN'), at })
    .transform(({ do: _seen, ...dated }) => ({ ...dated, command: { kind: 'alarm' as const } })),
};
/** It stores nothing between two calls. A byte order mark is no JSON. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function createFences(options: {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly stallDetector: Pick<StallDetector, 'requestTime'>;
  readonly clockIsSuspect: () => boolean;
  /** 1,000 to 30,000. */
  readonly maxAgeMs: number;
}): Fences {
  const { clock, stallDetector, clockIsSuspect, maxAgeMs } = options;
  /** The dates of each topic that were there already, each with when it may be forgotten: it is late by then. */
  const seen = new Map<string, Map<number, number>>();
  /** What is older may have been there when another process ran; until then it would not be late. */
  const start = { at: clock.now(), until: clock.monotonic() + maxAgeMs + aheadAtMostMs };

  function repeats(topic: string, date: number): RefusalReason | undefined {
    const now = clock.monotonic();
    if (date <= start.at && now < start.until) return 'repeated';
    const dates = seen.get(topic) ?? new Map<number, number>();
    for (const [known, until] of dates) if (until < now) dates.delete(known);
    if (dates.has(date)) return 'repeated';
    if (dates.size >= datesAtMost) return 'lock-busy';
    dates.set(date, now + maxAgeMs + aheadAtMostMs);
    seen.set(topic, dates);
    return undefined;
  }

  return {
    judge(kind, { topic, payload, isRetained }, isAnnounced) {
      const read = readCommand(kind, payload);
      if (read === undefined) return { reason: 'malformed' };
      if (isRetained) return { reason: 'retained' };
      const { command, at: date } = read;
      if (date === undefined) return { reason: 'no-date' };
      if (clockIsSuspect()) return { reason: 'clock' };
      const byDate = clock.now() - date;
      if (byDate < -aheadAtMostMs) return { reason: 'late', ageMs: byDate };
      // Since when it may be on its way, on the clock that never jumps: it may have lain unread while this process stood still.
      const since = Math.min(clock.monotonic() - byDate, stallDetector.requestTime());
      const lateMs = (): number | undefined => {
        const ageMs = Math.round(Math.max(clock.now() - date, clock.monotonic() - since));
        return ageMs > maxAgeMs ? ageMs : undefined;
      };
      const ageMs = lateMs();
      if (ageMs !== undefined) return { reason: 'late', ageMs };
      const reason = isAnnounced ? repeats(topic, date) : undefined;
      return reason === undefined ? { command, lateBy: since + maxAgeMs + 1, lateMs } : { reason };
    },
  };
}

/** Undefined: it is longer than 1 KiB, no JSON object in UTF-8, or has members that are unknown, of another type, or stand twice. */
function readCommand(kind: HomeCommandTopic['kind'], payload: Buffer) {
  if (payload.length > bytesAtMost) return undefined;
  try {
    const source = utf8.decode(payload);
    const { data } = schemas[kind].safeParse(JSON.parse(source));
    return repeatedMembers(source).size > 0 ? undefined : data;
  } catch {
    return undefined;
  }
}
