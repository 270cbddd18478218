// Runs batches at the end of a tick of Node's event loop: in its check phase, which follows the reading of all sockets.
import { type TickBatcher, type TickStep, tickSteps } from '../domain/tick-batcher.ts';

export function createTickBatcher(): TickBatcher {
  const batches: { readonly step: TickStep; handleAll(): void; isEmpty(): boolean }[] = [];
  let isDue = false;

  function comeBack(): void {
    if (isDue) return;
    isDue = true;
    setImmediate(handleSteps);
  }

  function handleAll(): void {
    for (const batch of batches) batch.handleAll();
  }

  function handleSteps(): void {
    handleAll();
    isDue = false;
    // A later step may have added items to an earlier one.
    if (!batches.every((batch) => batch.isEmpty())) comeBack();
  }

  return {
    drain: handleAll,
    batch<T>(step: TickStep, handle: (item: T) => void) {
      let waiting: T[] = [];
      batches.push({
        step,
        handleAll() {
          if (waiting.length === 0) return;
          const all = waiting;
          waiting = [];
          for (const item of all) handle(item);
        },
        isEmpty: () => waiting.length === 0,
      });
      batches.sort((one, other) => tickSteps.indexOf(one.step) - tickSteps.indexOf(other.step));
      return (item: T): void => {
        waiting.push(item);
        comeBack();
      };
    },
  };
}
