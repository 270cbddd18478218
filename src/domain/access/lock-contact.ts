// When a lock was online and when its clock was in doubt, as its lines and those of the gateway say.
import type { LockId } from '../locks/lock.ts';
import type { AccessLine } from './access-log.ts';

/** From and to; null: until now. */
export type OpenSpan = readonly [from: number, to: number | null];

export interface LockContact {
  /** Until when the lock was heard from, as far as it was known; what it held afterwards is not proved. */
  readonly heardUntil: number;
  readonly offline: readonly OpenSpan[];
  readonly clockDoubtful: readonly OpenSpan[];
}

/** Whether a line is about the contact with a lock, and not about who may open it. */
export function isOfContact({ what }: AccessLine): boolean {
  return what === 'online' || what === 'offline' || what === 'clock';
}

/** `lines`: of the contact with this lock and of the gateway, which was alone while it did not run; in their order, as known at `knownAt`. */
export function contactOf(lines: readonly AccessLine[], lockId: LockId, knownAt: number): LockContact {
  const offline: OpenSpan[] = [];
  const clockDoubtful: OpenSpan[] = [];
  /** Since when it is so; undefined: it is not. A lock of which no line says otherwise was never heard from. */
  let awaySince: number | undefined = 0;
  let doubtSince: number | undefined;
  let heardUntil = 0;
  for (const { what, lockId: of, notBefore, notAfter, detail } of lines) {
    if (of !== null && of !== lockId) continue;
    if (what === 'clock' && of === lockId) {
      if (detail === 'wrong') doubtSince ??= notBefore;
      else if (doubtSince !== undefined) {
        clockDoubtful.push([doubtSince, notAfter]);
        doubtSince = undefined;
      }
    } else if (what === 'offline' && awaySince === undefined) {
      awaySince = notBefore;
      heardUntil = notBefore;
    } else if (what === 'online' && of === lockId) {
      heardUntil = Math.max(heardUntil, notAfter);
      if (awaySince !== undefined && notAfter > awaySince) offline.push([awaySince, notAfter]);
      awaySince = undefined;
    }
  }
  if (awaySince === undefined) heardUntil = knownAt;
  else offline.push([awaySince, null]);
  if (doubtSince !== undefined) clockDoubtful.push([doubtSince, null]);
  return { heardUntil, offline, clockDoubtful };
}

export function isWithin(spans: readonly OpenSpan[], at: number): boolean {
  return spans.some(([from, to]) => from <= at && (to === null || at <= to));
}

/** The spans that have a part between both dates, cut to them. */
export function spansBetween(spans: readonly OpenSpan[], from: number, to: number): readonly OpenSpan[] {
  return spans
    .filter(([begin, end]) => begin <= to && (end === null || end >= from))
    .map(([begin, end]) => [Math.max(begin, from), end === null ? null : Math.min(end, to)]);
}
