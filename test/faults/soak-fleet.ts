// The locks of a soak: flaky by chance, without a history, so that they can never send again what a PUBACK told them to forget.
import { createFleet } from '../../device-sim/fleet.ts';
import type { LockHandle } from '../../device-sim/lock-handle.ts';
import { completeProfile, lockProfile } from '../../device-sim/lock-profile.ts';
import type { SoakGateway } from './soak-gateway.ts';

/** Of one lock: the events it has counted, all of them acknowledged. */
export interface Counted {
  readonly epoch: string;
  readonly lastSeq: number;
}

export interface SoakFleet {
  readonly locks: readonly LockHandle[];
  /** Heals every lock; resolves when all are online and every event is acknowledged. */
  settle(): Promise<void>;
  /** By lockId. */
  expected(): ReadonlyMap<number, Counted>;
  stop(): Promise<void>;
}

const settleWithinMs = 180_000;

export async function startSoakFleet(options: {
  readonly gateway: SoakGateway;
  readonly folder: string;
  readonly locks: number;
  readonly seed: number;
}): Promise<SoakFleet> {
  const { gateway, folder, locks, seed } = options;
  const flaky = { jam: 0.01, silence: 0.002, lostReply: 0.005, refuse: 0.01, slow: 0.02, slowMs: 500, disconnect: 0.005 };
  const profiles = Array.from({ length: 10 }, (_, n) =>
    completeProfile(
      lockProfile.parse({
        name: 'Door {n}',
        ...{ boltTravelMs: 20, keepAliveSeconds: 10, autoLockSeconds: n % 2 === 0 ? 3 : 0, batteryDrainPercent: 0 },
        ...{ eventCapacity: 100_000, historyCapacity: 0, cardCapacity: 1_000 },
        // Every fifth says and hears everything twice.
        faults: { ...flaky, duplicates: n % 5 === 0 },
      }),
    ),
  );
  const fleet = createFleet({
    gatewayUrl: gateway.url(),
    mqttUrl: gateway.mqttUrl(),
    token: gateway.token(),
    stateDir: folder,
    ...{ profiles, locks, seed, flush: false },
    reconnect: { minMs: 100, maxMs: 2_000 },
    startTimeoutMs: 120_000,
  });
  await fleet.start();

  return {
    locks: fleet.locks,
    async settle() {
      for (const lock of fleet.locks) {
        lock.jam(false);
        lock.setSilent(false);
        lock.thaw();
        await lock.powerOn();
        lock.restoreNetwork();
      }
      const pending = new Set(fleet.locks);
      const patience = new Promise<never>((_, reject) => {
        setTimeout(() => {
          const names = [...pending]
            .slice(0, 5)
            .map(({ name, online, memory }) => `${name} (online: ${online}, waiting: ${memory.events.length})`);
          reject(new Error(`${pending.size} locks did not settle: ${names.join(', ')}`));
        }, settleWithinMs).unref();
      });
      const all = fleet.locks.map(async (lock) => {
        await lock.whenOnline();
        await lock.whenEventsAcknowledged();
        pending.delete(lock);
      });
      await Promise.race([Promise.all(all), patience]);
    },
    expected: () => new Map(fleet.locks.map(({ lockId, memory: { epoch, lastSeq } }) => [lockId ?? 0, { epoch, lastSeq }])),
    stop: fleet.stop,
  };
}
