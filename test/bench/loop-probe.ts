// Loaded into the measured daemon before its own code: says, when it is asked, for how long its event loop stood still at most. What its thread
// waited for a processor does not count: that is other work on the machine.
import { openSync, readSync } from 'node:fs';

/** Between two looks, in milliseconds. It looks only between `begin` and `end`, since that takes time of its own. */
const resolutionMs = 1;
const schedule = openSync('/proc/thread-self/schedstat', 'r');
const bytes = Buffer.alloc(64);
let [longestMs, lastMs] = [0, 0];
let looking: NodeJS.Timeout | undefined;

/** Of the time since some start, without that in which this thread was ready and had no processor. */
function ownMs(): number {
  const length = readSync(schedule, bytes, 0, bytes.length, 0);
  const [, waitedNs] = bytes.toString('latin1', 0, length).split(' ');
  return performance.now() - Number(waitedNs) / 1e6;
}

function look(): void {
  const now = ownMs();
  longestMs = Math.max(longestMs, now - lastMs - resolutionMs);
  lastMs = now;
}

process.on('message', (asked) => {
  if (asked === 'begin') {
    [longestMs, lastMs] = [0, ownMs()];
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
