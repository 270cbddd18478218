// The start and the stop of all parts: each is awaited before the next one.
import { resolve } from 'node:path';
import type { CommandService } from '../domain/locks/command-service.ts';
import type { Part } from '../domain/part.ts';
import { boundHeapGrowth } from '../platform/v8-flags.ts';
import type { Base } from './base.ts';
import type { LockSide } from './lock-side.ts';
import type { PeopleSide } from './people-side.ts';
import type { Storage } from './storage.ts';

/** How long a command that was sent may wait for its reply when the gateway stops (the whole stop takes at most 5 s). */
const commandGraceMs = 4_000;

export interface LifeCycle {
  /** As `Gateway.start`. */
  start(): Promise<void>;
  /** As `Gateway.stop`. */
  stop(): Promise<void>;
  /** Resolves when no start is running. Never rejects. */
  settled(): Promise<void>;
}

export function createLifeCycle(options: {
  readonly base: Base;
  readonly storage: Pick<Storage, 'store' | 'backups' | 'upgradeBackup' | 'node'>;
  readonly lockSide: Pick<LockSide, 'broker' | 'pairing'>;
  readonly peopleSide: Pick<PeopleSide, 'http' | 'discovery' | 'status'>;
  readonly commands: Pick<CommandService, 'stop'>;
  readonly systemd: Part;
  /** In the order of their start. All but HTTP stop in reverse. */
  readonly parts: Iterable<Part> | AsyncIterable<Part>;
}): LifeCycle {
  const { base, storage, lockSide, peopleSide, commands, systemd, parts } = options;
  const { config, log, version, addresses } = base;
  const { store, backups, upgradeBackup, node } = storage;
  const { broker, pairing } = lockSide;
  const { http, discovery, status } = peopleSide;
  const started: Part[] = [];
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  async function startParts(): Promise<void> {
    for await (const part of parts) {
      if (stopping !== undefined) return;
      started.push(part);
      await part.start();
      // Before the first lock reconnects.
      if (part === store) boundHeapGrowth();
      if (part === broker || part === broker.listening) addresses.add(broker.addresses());
      if (part === http) addresses.add(http.addresses());
    }
    if (stopping !== undefined) return;
    status.serves();
    const fields = { dataDir: resolve(config.dataDir), locks: store.ports.locks.all().length, version, ms: Math.round(status.uptimeMs()) };
    log.info({ code: 'ready', ...status.addresses(), ...fields }, 'ready');
  }

  async function stopParts(): Promise<void> {
    // A start may be waiting for these.
    upgradeBackup.stop();
    node?.abandon();
    await backups.stop();
    await starting?.catch(() => undefined);
    status.servesNoMore();
    pairing.stop();
    // Callers whose command was sent get their answer, or a time-out, while HTTP waits for them.
    await Promise.all([systemd.stop(), discovery.stop(), commands.stop(commandGraceMs), started.includes(http) ? http.stop() : undefined]);
    for (const part of [...started].reverse()) if (part !== http) await part.stop();
    log.info({ code: 'stopped' }, 'stopped');
  }

  return {
    start() {
      starting ??= startParts();
      return starting;
    },
    stop() {
      stopping ??= stopParts();
      return stopping;
    },
    async settled() {
      await starting?.catch(() => undefined);
    },
  };
}
