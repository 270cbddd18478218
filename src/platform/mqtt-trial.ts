// Whether an outside broker would take this gateway, tried by one login that says nothing.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { type BrokerFiles, readBrokerCredentials } from './broker-credentials.ts';
import { createOutboundMqtt } from './mqtt-client.ts';

/** Resolves with why the broker cannot be used with version 5 of MQTT; undefined: it can. Never rejects. */
export function tryBroker({ url, files, clock }: { readonly url: string; readonly files: BrokerFiles; readonly clock: Clock }) {
  return new Promise<string | undefined>((resolve) => {
    const done = (reason?: string) => void client.stop().then(() => resolve(reason));
    const client = createOutboundMqtt({
      ...{ clock, random: Math.random, url, isVersion5Needed: true },
      clientId: () => `latchd-check-${randomBytes(4).toString('hex')}`,
      credentials: () => readBrokerCredentials(files),
      onUp: () => done(),
      onDown: (reason) => done(reason),
      onMessage: () => undefined,
      onRefused: () => undefined,
    });
    client.start();
  });
}
