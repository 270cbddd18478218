// Loaded into the measured daemon before its own code: says, when it is asked, for how long its event loop stood still at most.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Between two looks, in milliseconds. It looks only between `begin` and `end`, since that takes time of its own. */
const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });

process.on('message', (asked) => {
  if (asked === 'begin') {
    delays.reset();
    delays.enable();
    process.send?.('begun');
  } else {
    // Once more, so that a stop which has just ended counts.
    setTimeout(() => {
      delays.disable();
      process.send?.(Math.max(0, delays.max / 1e6 - resolutionMs));
    }, 2 * resolutionMs);
  }
});
// The daemon's own work decides how long it lives.
process.channel?.unref();
