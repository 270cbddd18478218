// What a node does while it waits for its lease: it looks at what the serving node changes.
import type { Clock } from '../../domain/clock.ts';

const leastPauseMs = 1_000;
/** So many times as long as a look has taken passes until the next one: it costs a tenth of the database's time at most. */
const rest = 10;

/** Resolves, or rejects, as `acquired` does; then no look is under way. A look that fails is made again later. */
export async function followUntil(
  acquired: Promise<void>,
  { clock, look }: { readonly clock: Clock; readonly look: (isOver: () => boolean) => Promise<void> },
): Promise<void> {
  let isOver = false;
  let wake = (): void => undefined;
  const end = (): void => {
    isOver = true;
    wake();
  };
  acquired.then(end, end);
  for (let pauseMs = leastPauseMs; ; ) {
    await new Promise<void>((resolve) => {
      const cancel = clock.timer(pauseMs, resolve);
      wake = () => {
        cancel();
        resolve();
      };
      if (isOver) wake();
    });
    if (isOver) return acquired;
    const begun = clock.monotonic();
    await look(() => isOver).catch(() => undefined);
    pauseMs = Math.max(leastPauseMs, rest * (clock.monotonic() - begun));
  }
}
