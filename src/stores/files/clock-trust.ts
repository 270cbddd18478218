// Whether the wall clock may be believed when something is to be deleted because of its age (Fault T19). It is suspect
// when it disagrees with the newest record at the start or shows a time before latchd, and after a jump of more than a day; until the kernel says that
// it is synchronised, or a person accepts it. Kept in clock.json: records written meanwhile would make it look right.
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Log } from '../../domain/part.ts';
import { type Clock, earliestNow } from '../../domain/ports.ts';
import { type BeforeUpgrade, createDocument } from './documents/document.ts';
import type { FileLayer } from './files.ts';

const dayMs = 86_400_000;
const mostAwayMs = 7 * dayMs;
/** Small corrections between two runs mean nothing. */
export const leastBackMs = 60_000;

export const clockFormat = { schemaVersion: 1, schema: z.strictObject({ suspectSince: z.int().nullable() }) };

const whatToDo = 'nothing is deleted or hidden for its age; let NTP set the clock, or, when it is right, run `latchd clock accept`';

/** `newestAt` as in `open`: before it, or long after it, the clock can hardly be right; nor when it shows a time that was before latchd. */
function isFar(now: number, newestAt: number | undefined): boolean {
  const awayMs = newestAt === undefined ? 0 : now - newestAt;
  return now < earliestNow || awayMs < -leastBackMs || awayMs > mostAwayMs;
}

function farFrom(now: number): string {
  return now < earliestNow ? `the clock shows ${new Date(now).toISOString()}` : 'the clock is far from the newest record';
}

/** For whoever reads a data directory from outside, with a daemon on it or none. */
export async function clockIsSuspectFor(files: FileLayer, path: string, now: number, newestAt: number | undefined): Promise<boolean> {
  const document = createDocument({ files, path, format: clockFormat });
  const isThere = await document.load().catch(() => undefined);
  return isThere === undefined || (isThere && document.current().suspectSince !== null) || isFar(now, newestAt);
}

export interface ClockTrust {
  /** `newestAt`: serverDate of the newest record; undefined without records. */
  open(newestAt: number | undefined): Promise<void>;
  isSuspect(): boolean;
  /** Asks the kernel where needed; true when the clock may be believed. */
  isTrusted(): Promise<boolean>;
  /** A person says that the clock is right. `storage-unavailable`. */
  accept(): Promise<void>;
}

export function createClockTrust(options: {
  readonly files: FileLayer;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
  /** Whether the kernel says that something keeps the clock right; `isKernelClockSynchronised` outside tests. */
  readonly isSynchronised: () => Promise<boolean>;
}): ClockTrust {
  const { files, path, clock, log, isSynchronised } = options;
  const document = createDocument({ files, path, format: clockFormat, beforeUpgrade: options.beforeUpgrade });
  let suspect = false;
  let offset = 0;

  const offsetNow = (): number => clock.now() - clock.monotonic();

  function becomeSuspect(fields: object, reason: string): void {
    if (suspect) return;
    suspect = true;
    log.warn({ code: 'clock-suspect', ...fields }, `${reason}: ${whatToDo}`);
    document
      .put({ suspectSince: clock.now() })
      .catch((error: unknown) => log.warn({ code: 'clock-not-saved', err: error }, 'the state of the clock could not be saved'));
  }
  async function trust(): Promise<void> {
    await document.put({ suspectSince: null });
    suspect = false;
    offset = offsetNow();
  }
  function isSuspect(): boolean {
    const jumpMs = offsetNow() - offset;
    if (Math.abs(jumpMs) > dayMs) {
      offset += jumpMs;
      becomeSuspect({ jumpMs }, 'the clock has jumped');
    }
    return suspect;
  }

  return {
    async open(newestAt) {
      offset = offsetNow();
      const isThere = await document.load().catch((error: unknown) => {
        log.warn({ code: 'clock-suspect', err: error }, `clock.json is unusable, so the clock may be wrong: ${whatToDo}`);
        suspect = true;
        return false;
      });
      const since = isThere ? document.current().suspectSince : null;
      if (since !== null) {
        suspect = true;
        log.warn({ code: 'clock-suspect', since }, `the clock has been suspect since before this start: ${whatToDo}`);
      } else if (isFar(clock.now(), newestAt)) becomeSuspect({ newestAt }, farFrom(clock.now()));
    },
    isSuspect,
    async isTrusted() {
      if (!isSuspect()) return true;
      if (!(await isSynchronised())) return false;
      await trust();
      log.info({ code: 'clock-believed' }, 'the clock is synchronised and believed again');
      return true;
    },
    accept: trust,
  };
}

export async function isKernelClockSynchronised(): Promise<boolean> {
  return (await kernelClockState()) === 'synchronised';
}

/** From the kernel's own flag by way of systemd; undefined when nobody can be asked. */
export async function kernelClockState(): Promise<'synchronised' | 'left alone' | undefined> {
  try {
    const { stdout } = await promisify(execFile)('timedatectl', ['show', '--property=NTPSynchronized', '--value'], { timeout: 5_000 });
    return stdout.trim() === 'yes' ? 'synchronised' : 'left alone';
  } catch {
    return access('/run/systemd/timesync/synchronized').then(
      () => 'synchronised',
      () => undefined,
    );
  }
}
