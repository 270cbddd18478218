// What the tool asks of the gateway's HTTP API: which lock it is, and whether anything opens it that people need.
import { z } from 'zod';

/** Why nothing is tried; the message says what to do. */
export class Refusal extends Error {}

export interface KnownLock {
  readonly lockId: number;
  readonly lockName: string;
  readonly deviceId: string;
  /** The deviceId of the hub that speaks for it. */
  readonly hubId: string | null;
  readonly timezoneRawOffset: number;
}

const locks = z.object({
  list: z.array(
    z.object({
      lockId: z.int(),
      lockName: z.string(),
      deviceId: z.string(),
      hubId: z.string().nullable(),
      timezoneRawOffset: z.int(),
      driver: z.unknown(),
      strangers: z.string().optional(),
      cardsOnLock: z.int().nullable().optional(),
    }),
  ),
  pages: z.int(),
});
const entries = z.object({ list: z.array(z.object({ status: z.string() })), pages: z.int() });
const problem = z.object({ code: z.string(), detail: z.string() });

/**
 * The lock that may be tried: registered, without cards and passcodes, with none wanted on it, and the token is of a gateway administrator
 * who is manager or administrator of this lock as well. Rejects with a Refusal.
 */
export async function findLock(options: { readonly url: string; readonly token: string; readonly deviceId: string }): Promise<KnownLock> {
  const { url, token, deviceId } = options;

  async function page<T>(path: string, pageNo: number, shape: z.ZodType<T>): Promise<T> {
    let response: Response;
    try {
      response = await fetch(`${url}${path}?pageNo=${pageNo}&pageSize=1000`, {
        headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
        redirect: 'error',
        signal: AbortSignal.timeout(15_000),
      });
    } catch (error) {
      const { cause, message } = error as Error & { readonly cause?: Error };
      throw new Refusal(`no answer from ${url} (--gateway says where it is): ${cause?.message || message}`);
    }
    const body: unknown = await response.json().catch(() => undefined);
    if (response.status === 403)
      throw new Refusal('the token must be of a gateway administrator who is manager or administrator of the lock, too');
    const refused = problem.safeParse(body);
    if (!response.ok)
      throw new Refusal(refused.success ? `${refused.data.detail} (${refused.data.code})` : `${url} answered ${response.status}`);
    const checked = shape.safeParse(body);
    if (checked.success) return checked.data;
    throw new Refusal(`what answers at ${url} is no latchd`);
  }

  async function search(): Promise<z.infer<typeof locks>['list'][number]> {
    for (let pageNo = 1, pages = 1; pageNo <= pages; pageNo++) {
      const some = await page('/api/v1/gateway/locks', pageNo, locks);
      pages = some.pages;
      const found = some.list.find((lock) => lock.deviceId === deviceId);
      if (found !== undefined) return found;
    }
    throw new Refusal(`no lock with the deviceId ${deviceId} is registered at ${url}: register it first`);
  }

  const lock = await search();
  if (lock.driver !== null) throw new Refusal(`${lock.lockName} is a lock of another make: this tool is for locks of our protocol`);
  if (lock.strangers === 'remove')
    throw new Refusal(
      `the gateway removes strangers from ${lock.lockName}, and would remove what this tool puts on it: set strangers to keep for the run`,
    );
  for (let pageNo = 1, pages = 1; pageNo <= pages; pageNo++) {
    const some = await page(`/api/v1/access/locks/${lock.lockId}/entries`, pageNo, entries);
    pages = some.pages;
    const wanted = some.list.filter(({ status }) => status !== 'ended').length;
    if (wanted > 0)
      throw new Refusal(`${lock.lockName} has ${wanted} cards or passcodes, or is to get them: take a lock that nobody needs`);
  }
  if ((lock.cardsOnLock ?? 0) > 0) throw new Refusal(`${lock.lockName} holds ${lock.cardsOnLock} cards: take a lock that nobody needs`);
  return lock;
}
