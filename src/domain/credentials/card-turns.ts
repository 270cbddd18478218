// The turns in which the cards and passcodes of a lock are changed: one change at a time, from what is stored before it to what is stored
// after it. Unlocks may run in between, because each command queues by itself.
import type { Clock } from '../clock.ts';
import { createKeyedQueue, type KeyedQueue } from '../keyed-queue.ts';
import type { LockId } from '../locks/lock.ts';

export type CardTurns = KeyedQueue<LockId>;

const waitingLimit = 16;

export function createCardTurns(clock: Clock): CardTurns {
  return createKeyedQueue<LockId>({ clock, limit: waitingLimit });
}
