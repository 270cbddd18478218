// The end of a turn of Node's event loop: its check phase, which follows the reading of all sockets that have something.
import { type TurnEnd, type TurnStep, turnSteps } from '../domain/tick-batcher.ts';

export function createTurnEnd(): TurnEnd {
  const batches: { readonly step: TurnStep; handleAll(): void; isEmpty(): boolean }[] = [];
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
    // What one step has made for another before it.
    if (!batches.every((batch) => batch.isEmpty())) comeBack();
  }

  return {
    catchUp: handleAll,
    together<T>(step: TurnStep, handle: (item: T) => void) {
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
      batches.sort((one, other) => turnSteps.indexOf(one.step) - turnSteps.indexOf(other.step));
      return (item: T): void => {
        waiting.push(item);
        comeBack();
      };
    },
  };
}
