// The records of a whole file by rising recordId, whatever their order in it, some at a time.
import type { LockRecord } from '../../../domain/records/record.ts';
import { type OrderedDay, orderInMemory } from './order-file.ts';
import { readLines } from './read-lines.ts';
import { readRecord } from './record-line.ts';
import { placesOfRows } from './record-order.ts';

/** In memory there are 32 bytes of each record of the file, and those records that are yielded together. Damaged lines are left out. */
export async function* recordsById(day: OrderedDay): AsyncGenerator<readonly LockRecord[]> {
  const order = await orderInMemory(day);
  for (let n = order.firsts.length - 1; n >= 0; n--) {
    const places = placesOfRows((await order.chunk(n)) as Uint32Array).reverse();
    const records = (await readLines(day.readAt, places)).map(readRecord);
    yield records.filter((record) => record !== undefined);
  }
}
