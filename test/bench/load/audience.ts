// Listeners to live events, on raw sockets: that each hears every record once and in order, and when the last of them had it.
import type { Address } from '../daemon.ts';
import { openSocket } from './socket.ts';

export interface RequiredRole {
  /** The newest record that all have heard. */
  heard(): number;
  /** Resolves with the moment (`performance.now()`) at which the last listener has this record. Rejects when somebody has missed one. */
  whenAllHave(recordId: number): Promise<number>;
  close(): void;
}

interface Waiting {
  readonly recordId: number;
  readonly resolve: (at: number) => void;
}

const atOnce = 100;

/** Resolves when every listener has had its `ready`; `request` is what each of them asks, as many at each of the addresses. */
export async function openAudience({
  addresses,
  request,
  count,
}: {
  addresses: readonly Address[];
  request: string;
  count: number;
}): Promise<RequiredRole> {
  const closes: (() => void)[] = [];
  /** How many have a record that not all have yet. */
  const having = new Map<number, number>();
  let waiting: Waiting[] = [];
  let complete = 0;
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  failed.catch(() => {});

  function has(recordId: number): void {
    const have = (having.get(recordId) ?? 0) + 1;
    if (have < count) return void having.set(recordId, have);
    // Each hears in order, so records are complete in order.
    having.delete(recordId);
    complete = recordId;
    const at = performance.now();
    for (const one of waiting) if (one.recordId <= complete) one.resolve(at);
    waiting = waiting.filter((one) => one.recordId > complete);
  }

  function listen(address: Address): Promise<void> {
    return new Promise((ready, reject) => {
      let rest = '';
      let last: number | undefined;
      let isClosed = false;
      openSocket({
        ...address,
        onBytes(bytes) {
          const blocks = (rest + bytes.toString('latin1')).split('\n\n');
          rest = blocks.pop() as string;
          for (const block of blocks) {
            const [, id, type] = /(?:^|\n)id: (\d+)\nevent: (\w+)\n/.exec(block) ?? [];
            if (type === 'ready') {
              last = Number(id);
              complete = Math.max(complete, last);
              ready();
            } else if (type === 'record' && last !== undefined) {
              if (Number(id) !== last + 1) fail(new Error(`a listener heard record ${id} after ${last}`));
              last = Number(id);
              has(last);
            }
          }
        },
        onClose() {
          if (!isClosed) fail(new Error('a listener was ended'));
        },
      }).then((socket) => {
        closes.push(() => {
          isClosed = true;
          socket.destroy();
        });
        socket.write(request, 'latin1');
      }, reject);
      failed.catch(reject);
    });
  }

  const places = Array.from({ length: count }, (_, n) => addresses[n % addresses.length] as Address);
  try {
    for (let open = 0; open < count; open += atOnce) await Promise.all(places.slice(open, open + atOnce).map(listen));
  } catch (error) {
    for (const close of closes) close();
    throw error;
  }
  return {
    heard: () => complete,
    whenAllHave: (recordId) =>
      Promise.race([
        failed,
        new Promise<number>((resolve) => {
          if (recordId <= complete) resolve(performance.now());
          else waiting.push({ recordId, resolve });
        }),
      ]),
    close: () => closes.forEach((close) => void close()),
  };
}
