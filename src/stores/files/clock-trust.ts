// Whether latchd may trust the wall clock when it deletes something because of its age (Fault T19). The clock is suspect when it disagrees
// with the newest record at the start, when it shows a time before latchd existed, and after a jump of more than a day. It stays suspect
// until the kernel says that it is synchronised or a person accepts it. clock.json stores this, because records written with a wrong clock
// would make it look right.
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type Clock, earliestNow } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import { type BeforeUpgrade, createDocument } from './documents/document.ts';
import type { FileLayer } from './files.ts';

const dayMs = 86_400_000;
const mostAwayMs = 7 * dayMs;
/** Smaller corrections between two runs mean nothing. */
export const leastBackMs = 60_000;

export const clockFormat = { schemaVersion: 1, schema: z.strictObject({ suspectSince: z.int().nullable() }) };

const whatToDo = 'nothing is deleted or hidden for its age; let NTP set the clock, or, when it is right, run `latchd clock accept`';

/**
 * `newestAt` as in `open`. A clock before the newest record or long after it is probably wrong, and so is one that shows a time before
 * latchd existed.
 */
function isFar(now: number, newestAt: number | undefined): boolean {
  const awayMs = newestAt === undefined ? 0 : now - newestAt;
  return now < earliestNow || awayMs < -leastBackMs || awayMs > mostAwayMs;
}

function farFrom(now: number): string {
  return now < earliestNow ? `the clock shows ${new Date(now).toISOString()}` : 'the clock is far from the newest record';
}

/** Whether a clock must not be trusted; `since` as it was stored, null: it was not suspect. */
export function isDoubtful(since: number | null, now: number, newestAt: number | undefined): boolean {
  return since !== null || isFar(now, newestAt);
}

/** Checks the clock for commands that read a data directory from outside, whether a daemon uses it or not. */
export async function clockIsSuspectFor(files: FileLayer, path: string, now: number, newestAt: number | undefined): Promise<boolean> {
  const document = createDocument({ files, path, format: clockFormat });
  const isThere = await document.load().catch(() => undefined);
  return isThere === undefined || isDoubtful(isThere ? document.current().suspectSince : null, now, newestAt);
}

export interface ClockTrust {
  /** `newestAt`: serverDate of the newest record; undefined without records. */
  open(newestAt: number | undefined): Promise<void>;
  isSuspect(): boolean;
  /** Asks the kernel if necessary; true when the clock may be trusted. */
  isTrusted(): Promise<boolean>;
  /** Accepts the clock, because a person says that it is right. `storage-unavailable`. */
  accept(): Promise<void>;
}

export function createClockTrust(options: {
  readonly files: FileLayer;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
  /** Whether the kernel says that something synchronises the clock; `isKernelClockSynchronised` outside tests. */
  readonly isSynchronised: () => Promise<boolean>;
}): ClockTrust {
  const { files, path, clock, log, isSynchronised } = options;
  const document = createDocument({ files, path, format: clockFormat, beforeUpgrade: options.beforeUpgrade });
  let suspect = false;
  /** undefined until `open`: a node that does not lead is asked, too. */
  let offset: number | undefined;

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
    if (offset === undefined) return suspect;
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

/** Reads the kernel's flag through systemd; undefined when systemd cannot be asked. */
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
