// So many clients that each wait for their answer before they ask again: latency and throughput of whatever they ask.
import { cpuMs } from '../processes.ts';
import { quantile } from '../rounds.ts';

export interface LoopResult {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  readonly perSecond: number;
  /** CPU of the process that was asked, for one answer. */
  readonly cpuMicros: number;
}

export interface Loop {
  readonly clients: number;
  readonly ms: number;
  /** Ends earlier once this is true. */
  readonly over?: (() => boolean) | undefined;
  /** Of the process that is asked. */
  readonly pid: number;
  /** Begins one exchange of this client; `done` takes the status of its answer, 0 without one. Never at once. */
  begin(client: number, done: (status: number) => void): void;
}

const patienceMs = 15_000;

/** Rejects when anything went otherwise than it should: figures of errors are worth nothing. */
export function runLoop({ clients, ms, over = () => false, pid, begin }: Loop): Promise<LoopResult> {
  return new Promise((resolve, reject) => {
    const latencies: number[] = [];
    const cpuBefore = cpuMs(pid);
    const startedAt = performance.now();
    const endsAt = startedAt + ms;
    const failed: number[] = [];
    let active = clients;
    const overdue = setTimeout(() => reject(new Error(`${active} exchanges did not end`)), ms + patienceMs);

    function finish(now: number): void {
      clearTimeout(overdue);
      if (failed.length > 0) {
        reject(
          new Error(`process ${pid} answered ${failed.length} of ${failed.length + latencies.length} requests with ${failed.join(', ')}`),
        );
      }
      resolve({
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
        longest: quantile(latencies, 1),
        perSecond: (latencies.length / (now - startedAt)) * 1000,
        cpuMicros: ((cpuMs(pid) - cpuBefore) / latencies.length) * 1000,
      });
    }

    function next(client: number): void {
      const begun = performance.now();
      begin(client, (status) => {
        const now = performance.now();
        if (status === 200) latencies.push(now - begun);
        else failed.push(status);
        if (now < endsAt && failed.length === 0 && !over()) next(client);
        else if (--active === 0) finish(now);
      });
    }
    for (let client = 0; client < clients; client++) next(client);
  });
}
