// latchd's driver for Zigbee2MQTT on a real connection to a broker, with nothing else of the gateway: what it says of a lock, and how its commands
// end.
import type { CommandOutcome, LockCommand } from '../../src/domain/locks/lock-command.ts';
import type { BridgeEffect, BridgeProtocol } from '../../src/drivers/bridge-protocol.ts';
import type { Effect } from '../../src/drivers/device-protocol.ts';
import { zigbee2mqttKind } from '../../src/drivers/zigbee2mqtt/kind.ts';
import { createOutboundMqtt } from '../../src/platform/mqtt-client.ts';
import { realClock } from '../support/mqtt-clock.ts';
import type { RadioLock } from './program.ts';

export interface DriverOnBroker {
  /** What the driver has said of this lock since the last `forget`: states, events, sessions; without what only concerns the host. */
  said(lock: RadioLock): readonly Effect[];
  forget(): void;
  until(lock: RadioLock, fits: (effect: Effect) => boolean): Promise<void>;
  /** Ends by the driver, after `ttlMs` with no-reply, or as refused. */
  command(lock: RadioLock, command: LockCommand, ttlMs: number): Promise<CommandOutcome>;
  stop(): Promise<void>;
}

export function startDriver(port: number, locks: readonly RadioLock[]): DriverOnBroker {
  let program: BridgeProtocol | undefined;
  const heard: { readonly address: string; readonly effect: Effect }[] = [];
  const looking = new Set<() => void>();
  const underWay = new Map<string, (outcome: CommandOutcome) => void>();
  const wakes = new Map<string, () => void>();

  function run(effects: readonly BridgeEffect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'subscribe') client.subscribe(effect.filters);
      else if (effect.kind === 'unsubscribe') client.unsubscribe(effect.filters);
      else if (effect.kind === 'lock') take(effect.address, effect.effect);
    }
    for (const look of [...looking]) look();
  }

  function take(address: string, effect: Effect): void {
    if (effect.kind === 'publish') client.publish(effect.topic, effect.payload, underWay.has(address) ? 5_000 : undefined);
    else if (effect.kind === 'end') underWay.get(address)?.(effect.outcome);
    else if (effect.kind === 'wake') {
      wakes.get(address)?.();
      const wake = () => run(program?.wake(address, Date.now()) ?? []);
      wakes.set(address, realClock.timer(effect.afterMs, wake));
    } else if (effect.kind !== 'capabilities') heard.push({ address, effect });
    if (effect.kind === 'offline') underWay.get(address)?.({ kind: 'lost' });
  }

  const client = createOutboundMqtt({
    ...{ clock: realClock, random: () => 0, url: `mqtt://127.0.0.1:${port}`, clientId: () => 'latchd-00000001' },
    credentials: () => Promise.resolve({}),
    onUp() {
      program = zigbee2mqttKind.create({ base: 'zigbee2mqtt' });
      run(program.begin(Date.now()));
      run(program.follow(new Set(locks.map(({ ieee }) => ieee)), Date.now()));
    },
    onDown: () => undefined,
    onMessage: (topic, payload, isHistory) => run(program?.hear({ topic, payload, isHistory }, Date.now()) ?? []),
    onRefused: () => undefined,
  });
  client.start();

  const of = ({ ieee }: RadioLock) => heard.filter(({ address }) => address === ieee).map(({ effect }) => effect);
  return {
    said: of,
    forget() {
      heard.length = 0;
    },
    until: (lock, fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!of(lock).some(fits)) return;
          looking.delete(look);
          resolve();
        };
        looking.add(look);
        look();
      }),
    command({ ieee }, command, ttlMs) {
      const begun = program?.command(ieee, command, Date.now());
      if (begun === undefined) return Promise.resolve({ kind: 'lost' });
      if ('refuse' in begun) return Promise.resolve({ kind: 'refused', error: begun.refuse, message: begun.message });
      return new Promise((resolve) => {
        const finish = (outcome: CommandOutcome): void => {
          cancel();
          underWay.delete(ieee);
          resolve(outcome);
        };
        const cancel = realClock.timer(ttlMs, () => {
          finish({ kind: 'no-reply' });
          run(program?.expire(ieee, Date.now()) ?? []);
        });
        underWay.set(ieee, finish);
        run(begun);
      });
    },
    async stop() {
      for (const cancel of wakes.values()) cancel();
      await client.stop();
    },
  };
}
