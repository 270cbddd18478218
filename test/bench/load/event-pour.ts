// Locks that send events as fast as the protocol lets them: at most 20 messages of a lock without PUBACK (Protocol 4.4).
import { cpuMs } from '../processes.ts';
import { quantile } from '../rounds.ts';
import { cardNumberOf } from '../seed.ts';
import { firstEventId, type LoadLock } from './load-lock.ts';

export interface PourOptions {
  readonly locks: readonly LoadLock[];
  readonly perMessage: number;
  /** Messages of each lock under way at a time. */
  readonly window: number;
  /** Ends after so long … */
  readonly ms?: number;
  /** … or when each lock has sent so many messages. */
  readonly messagesEach?: number;
  readonly pid: number;
}

export interface PourResult {
  readonly events: number;
  readonly eventsPerSecond: number;
  /** Of one message, in milliseconds. */
  readonly ackP50: number;
  readonly ackP99: number;
  readonly cpuMicrosPerEvent: number;
}

const patienceMs = 30_000;
const singleBytes = 290;

/** Resolves when every message is acknowledged. */
export function pourEvents(options: PourOptions): Promise<PourResult> {
  const { locks, perMessage, window, ms = Number.POSITIVE_INFINITY, messagesEach = Number.POSITIVE_INFINITY, pid } = options;
  return new Promise((resolve, reject) => {
    const waits: number[] = [];
    const cpuBefore = cpuMs(pid);
    const startedAt = performance.now();
    const endsAt = startedAt + ms;
    let underWay = 0;
    const overdue = setTimeout(
      () =>
        reject(
          new Error(`${underWay} messages were not acknowledged, ${locks.filter((lock) => !lock.isOpen()).length} connections closed`),
        ),
      Math.min(ms, 60_000) + patienceMs,
    );

    function finish(): void {
      clearTimeout(overdue);
      const events = waits.length * perMessage;
      resolve({
        events,
        eventsPerSecond: (events / (performance.now() - startedAt)) * 1000,
        ackP50: quantile(waits, 0.5),
        ackP99: quantile(waits, 0.99),
        cpuMicrosPerEvent: ((cpuMs(pid) - cpuBefore) / events) * 1000,
      });
    }

    for (const lock of locks) {
      const sentAt: number[] = [];
      let sent = 0;
      const sendNext = (slot: number, now: number) => {
        if (now >= endsAt || sent >= messagesEach) return;
        sent += 1;
        underWay += 1;
        sentAt[slot] = now;
        lock.events(firstEventId + slot, eventsPayload(lock, perMessage));
      };
      lock.onAcknowledged((messageId) => {
        const now = performance.now();
        const slot = messageId - firstEventId;
        waits.push(now - (sentAt[slot] as number));
        underWay -= 1;
        sendNext(slot, now);
        if (underWay === 0) finish();
      });
      for (let slot = 0; slot < window; slot++) sendNext(slot, startedAt);
      lock.flush();
    }
  });
}

/** Swipes of the lock's cards in turn. One alone fills 290 bytes, with a member that the gateway does not know; of many, each has about 110. */
function eventsPayload(lock: LoadLock, perMessage: number): string {
  const date = Date.now();
  const events: string[] = [];
  for (let n = 0; n < perMessage; n++) {
    const seq = lock.nextSeq();
    const credential = cardNumberOf(seq % Math.max(1, lock.cards.count));
    events.push(`{"seq":${seq},"type":"card-unlock","success":true,"date":${date},"credential":"${credential}"}`);
  }
  const payload = `{"epoch":"${lock.epoch}","events":[${events.join(',')}]`;
  return perMessage > 1 ? `${payload}}` : `${payload},"note":"${'x'.repeat(singleBytes - payload.length - 11)}"}`;
}
