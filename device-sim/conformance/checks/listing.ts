// How the checks read what a lock lists, and how much fits into it (Protocol 4.1, 5.1).
import type { z } from 'zod';
import type { LockSession } from '../session.ts';
import { Broken, expectThat, NotTried } from '../verdict.ts';

/** The result of a command that must end in ok. @throws Broken when it is none; `due`: what belongs into it */
export async function resultOf<T>(session: LockSession, op: string, args: object, shape: z.ZodType<T>, due: string): Promise<T> {
  const { result } = await session.askOk(op, { args });
  const checked = shape.safeParse(result);
  if (!checked.success) throw new Broken(`the result ${JSON.stringify(result)}`, due);
  return checked.data;
}

interface Page<One> {
  readonly list: readonly One[];
  readonly total: number;
}

/** All of them, two by two. @throws Broken when the pages do not fit together */
export async function inPages<One>(count: number, page: (offset: number, limit: number) => Promise<Page<One>>): Promise<readonly One[]> {
  const seen: One[] = [];
  for (let offset = 0; offset < count; offset += 2) {
    const { list, total } = await page(offset, 2);
    expectThat(total === count, `total ${total}`, `total ${count}`);
    expectThat(list.length === Math.min(2, count - offset), `${list.length} from ${offset} on`, 'a page of 2, the last with the rest');
    seen.push(...list);
  }
  expectThat((await page(count, 10)).list.length === 0, 'something beyond the last one', 'nothing');
  return seen;
}

/** How many fit, as the hello says. @throws NotTried when it does not say so, or when more than `most` would have to be put */
export function placesFor(session: LockSession, what: 'cards' | 'passcodes', most: number): number {
  const places = session.hello.limits?.[what];
  if (places === undefined) throw new NotTried(`the lock does not say how many ${what} fit`);
  if (places > most) throw new NotTried(`${places} ${what} take too long to put`);
  return places;
}
