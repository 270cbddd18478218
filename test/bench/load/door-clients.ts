// HTTP clients that lock and unlock doors, each request a real command: a door is asked for what it is not.
import type { Address } from '../daemon.ts';
import type { BenchLock } from '../seed.ts';
import { type LoopResult, runLoop } from './closed-loop.ts';
import { openHttpClients, reopen, requestText } from './http-client.ts';
import type { Swarm } from './swarm.ts';

export interface DoorResult extends LoopResult {
  readonly answers: number;
  /** Commands that reached a lock, for one answer: less than 1 when some requests found nothing to do. */
  readonly realShare: number;
}

export interface DoorClients {
  /** For `ms`, or until it is over. */
  measure(clients: number, ms: number, over?: () => boolean): Promise<DoorResult>;
  close(): void;
}

export interface Doors {
  readonly http: Address;
  readonly pid: number;
  readonly token: string;
  readonly locks: readonly BenchLock[];
  /** Undefined for a floor that answers without asking any lock. */
  readonly swarm?: Swarm;
}

/** Opens as many connections as there can be clients, before anything is measured. */
export async function openDoorClients({ http, pid, token, locks, swarm }: Doors, clientsAtMost: number): Promise<DoorClients> {
  const clients = await openHttpClients(http, clientsAtMost);
  const wanted = new Uint8Array(locks.length);

  function request(index: number): string {
    wanted[index] = 1 - (wanted[index] as number);
    return requestText('POST', `/api/v1/lock/${wanted[index] === 1 ? 'unlock' : 'lock'}?lockId=${locks[index]?.lockId}`, token);
  }

  return {
    async measure(count, ms, over) {
      await reopen(clients, http);
      // Each client has doors of its own; when there are fewer doors than clients, they queue for them.
      const at = Array.from({ length: count }, (_, client) => client % locks.length);
      const before = swarm?.commands() ?? 0;
      let answers = 0;
      const result = await runLoop({
        ...{ clients: count, ms, over, pid },
        begin(client, done) {
          const index = at[client] as number;
          at[client] = index + count < locks.length ? index + count : client % locks.length;
          clients[client]?.ask(request(index), (status) => {
            answers += 1;
            done(status);
          });
        },
      });
      return { ...result, answers, realShare: swarm === undefined ? 1 : (swarm.commands() - before) / answers };
    },
    close() {
      for (const client of clients) client.close();
    },
  };
}
