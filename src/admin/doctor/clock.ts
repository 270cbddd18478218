// Checks whether this machine's clock can be trusted: records are dated and deleted by it, and certificates and cards begin and end by it.
import { earliestNow } from '../../domain/clock.ts';
import { leastBackMs } from '../../stores/files/clock-trust.ts';
import type { Inspection } from '../../stores/files/verify/inspect.ts';
import { fail, good, type Verdict, warn } from './verdict.ts';

/** `kernel`: the operating system's view; undefined when it could not be asked. */
export function checkClock(
  now: number,
  found: Inspection | undefined,
  kernel: 'synchronised' | 'left alone' | undefined,
): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  const setIt = 'sudo timedatectl set-ntp true, or set it: sudo timedatectl set-time "2026-11-21 14:00:00"';
  const newest = found?.newestRecordAt;
  if (now < earliestNow) verdicts.push(fail(`it shows ${dateOf(now)}, which cannot be`, setIt));
  else if (newest !== undefined && now < newest - leastBackMs)
    verdicts.push(
      fail(`it shows ${dateOf(now)}, and the newest record is of ${dateOf(newest)}`, `${setIt}; when it is right, latchd clock accept`),
    );
  else verdicts.push(good(`it shows ${dateOf(now)}${newest === undefined ? '' : `; the newest record is of ${dateOf(newest)}`}`));

  if (found !== undefined && found.clockSuspectSince !== null) {
    verdicts.push(
      fail(
        `it has been suspect since ${dateOf(found.clockSuspectSince)}: no record is deleted or hidden for its age`,
        'when it is right, latchd clock accept (the daemon must be running); NTP does the same by itself',
      ),
    );
  }
  if (kernel === 'left alone')
    verdicts.push(warn('nothing keeps it right: it is not synchronised by NTP', 'sudo timedatectl set-ntp true'));
  if (kernel === 'synchronised') verdicts.push(good('it is synchronised by NTP'));
  return verdicts;
}

function dateOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
