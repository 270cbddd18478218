// What every step of the gateway is built with.
import { createEventBus } from '../domain/event-bus.ts';
import type { Log } from '../domain/part.ts';
import { createClock } from '../platform/clock.ts';
import { logEvents, logFailedSubscriber } from '../platform/logger.ts';
import { createTickBatcher } from '../platform/tick-batcher.ts';
import { createSecrets } from '../stores/files/documents/secrets.ts';
import { createAddresses } from './addresses.ts';
import type { Config } from './config.ts';

export type Base = ReturnType<typeof createBase>;

/** The log has every event of the bus from now on. */
export function createBase(config: Config, { log, version }: { readonly log: Log; readonly version: string }) {
  const clock = createClock();
  const tickBatcher = createTickBatcher();
  const secrets = createSecrets();
  const events = createEventBus(logFailedSubscriber(log));
  logEvents(events, log);
  return { config, log, version, clock, tickBatcher, secrets, events, addresses: createAddresses() };
}
