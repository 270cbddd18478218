// What every step of the gateway is built with.
import { createEventBus } from '../domain/event-bus.ts';
import type { Log } from '../domain/part.ts';
import { createSharedTurns } from '../domain/people/in-slices.ts';
import { createRecentWarnings } from '../domain/recent-warnings.ts';
import { createTimeZone } from '../domain/time-zone.ts';
import type { DeviceKind } from '../drivers/device-protocol.ts';
import { createClock, machineTimeZone } from '../platform/clock.ts';
import { logEvents, logFailedSubscriber } from '../platform/logger.ts';
import { createTickBatcher } from '../platform/tick-batcher.ts';
import { createSecrets } from '../stores/files/documents/secrets.ts';
import { createAddresses } from './addresses.ts';
import type { Config } from './config.ts';
import { bridgeKinds } from './makes.ts';

export type Base = ReturnType<typeof createBase>;

/** The log has every event of the bus from now on. */
export function createBase(
  config: Config,
  surroundings: { readonly log: Log; readonly version: string; readonly deviceKinds: readonly DeviceKind<object>[] },
) {
  const { version, deviceKinds } = surroundings;
  const clock = createClock();
  const warnings = createRecentWarnings(clock);
  const log = warnings.noted(surroundings.log);
  const timeZone = createTimeZone(config.timeZone === 'auto' ? machineTimeZone() : config.timeZone);
  const tickBatcher = createTickBatcher();
  const secrets = createSecrets();
  const events = createEventBus(logFailedSubscriber(log));
  logEvents(events, log);
  return {
    config,
    log,
    warnings: warnings.list,
    version,
    deviceKinds,
    makes: [...deviceKinds, ...bridgeKinds],
    clock,
    timeZone,
    tickBatcher,
    /** All long work shares these, so that no two pieces of it hold up a door together. */
    nextTurn: createSharedTurns(clock, () => new Promise((resolve) => setImmediate(resolve))),
    secrets,
    events,
    addresses: createAddresses(),
  };
}
