// Loaded into the measured daemon before its own code: says, when it is asked, for how long its event loop stood still at most. What its threads
// waited for a processor does not count: that is other work on the machine.
import { openSync, readdirSync, readSync } from 'node:fs';

/** Between two looks, in milliseconds. It looks only between `begin` and `end`, since that takes time of its own. */
const resolutionMs = 1;
const bytes = Buffer.alloc(64);
interface Times {
  readonly now: number;
  readonly run: number;
  readonly waited: number;
  readonly othersWaited: readonly number[];
}

let files: readonly number[] = [];
let longestMs = 0;
let last: Times = { now: 0, run: 0, waited: 0, othersWaited: [] };
let looking: NodeJS.Timeout | undefined;

/** How long a thread has run, and been ready without a processor. */
function timesOf(file: number): readonly [run: number, waited: number] {
  const [run, waited] = bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)).split(' ');
  return [Number(run) / 1e6, Number(waited) / 1e6];
}

function times(): Times {
  const [own = [0, 0], ...others] = files.map(timesOf);
  return { now: performance.now(), run: own[0], waited: own[1], othersWaited: others.map(([, waited]) => waited) };
}

/** The files with the times of all threads, that of this one at first. */
function openTimes(): readonly number[] {
  const own = String(process.pid);
  const others = readdirSync('/proc/self/task').filter((thread) => thread !== own);
  return [own, ...others].map((thread) => openSync(`/proc/self/task/${thread}/schedstat`, 'r'));
}

/**
 * The loop also waits for helpers of the garbage collection, and for locks that it shares with the threads that write to the disk. While one of
 * those is ready without a processor, that is other work on the machine, too; but what this thread itself has run counts always.
 */
function look(): void {
  const now = times();
  const own = now.now - last.now - (now.waited - last.waited);
  const helperWaited = Math.max(0, ...now.othersWaited.map((waited, place) => waited - (last.othersWaited[place] ?? 0)));
  const stoodMs = Math.max(now.run - last.run, own - helperWaited);
  longestMs = Math.max(longestMs, stoodMs - resolutionMs);
  last = now;
}

process.on('message', (asked) => {
  if (asked === 'begin') {
    if (files.length === 0) files = openTimes();
    [longestMs, last] = [0, times()];
    looking = setInterval(look, resolutionMs);
    process.send?.('begun');
  } else {
    // Once more, so that a stop which has just ended counts.
    setTimeout(() => {
      clearInterval(looking);
      process.send?.(longestMs);
    }, 2 * resolutionMs);
  }
});
// The daemon's own work decides how long it lives.
process.channel?.unref();
