// One client that waits for each echo before it sends again.
import type { Address } from '../daemon.ts';
import { quantile } from '../rounds.ts';
import { openSocket } from './socket.ts';

/** Milliseconds there and back of 200 bytes, at the median. */
export async function measureEcho(address: Address, ms: number): Promise<number> {
  const message = 'x'.repeat(200);
  const waits: number[] = [];
  const endsAt = performance.now() + ms;
  let sentAt = 0;
  await new Promise<void>((resolve, reject) => {
    openSocket({
      ...address,
      onBytes() {
        const now = performance.now();
        waits.push(now - sentAt);
        if (now > endsAt) return resolve();
        sentAt = now;
        opened?.write(message, 'latin1');
      },
      onClose: () => reject(new Error('the echo has ended')),
    }).then((socket) => {
      opened = socket;
      sentAt = performance.now();
      socket.write(message, 'latin1');
    }, reject);
    let opened: Awaited<ReturnType<typeof openSocket>> | undefined;
  });
  return quantile(waits, 0.5);
}
