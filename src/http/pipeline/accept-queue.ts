// Since when the first request of a connection may have waited. The kernel takes connections, and their first bytes, while the process is busy or
// stands still; Node then takes one of them in each turn of the event loop. So the last of many is read long after it came, when nothing else shows
// any more that the process stood still.
import type { Clock } from '../../domain/clock.ts';
import type { StallDetector } from '../../domain/locks/stall-detector.ts';

export interface AcceptQueue {
  /** A connection was accepted. Since when it may have waited, on the monotonic clock. */
  accepted(): number;
}

/** @param most how many connections the kernel keeps: one waits no longer than it takes to accept so many */
export function createAcceptQueue(options: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly stallDetector: Pick<StallDetector, 'requestTime'>;
  readonly most: number;
}): AcceptQueue {
  const { clock, stallDetector, most } = options;
  /** Since when each turn has accepted a connection, and so more may be there. */
  let since: number | undefined;
  let hasAccepted = false;
  /** When the newest ones were accepted, at their number. */
  const times = new Float64Array(most);
  let count = 0;

  function turnEnds(): void {
    if (hasAccepted) setImmediate(turnEnds);
    else since = undefined;
    hasAccepted = false;
  }

  return {
    accepted() {
      if (since === undefined) {
        since = stallDetector.requestTime();
        count = 0;
        setImmediate(turnEnds);
      }
      hasAccepted = true;
      const place = count % most;
      const before = count < most ? since : Math.max(since, times[place] ?? since);
      times[place] = clock.monotonic();
      count += 1;
      return before;
    },
  };
}
