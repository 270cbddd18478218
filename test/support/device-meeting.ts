// The protocol of a make and a simulated device of that make, face to face: no network between them, and one clock, which a test holds.
import type { SimulatedDevice } from '../../device-sim/devices/device.ts';
import type { CommandOutcome, LockCommand } from '../../src/domain/locks/lock-command.ts';
import type { DeviceKind, DeviceProtocol, Effect } from '../../src/drivers/device-protocol.ts';
import { createSettableTime, type SettableTime } from '../device-sim/support/settable-time.ts';

type Create = (options: { address: string; time: SettableTime; tell: () => void; travelMs: number }) => SimulatedDevice;

export interface DeviceMeeting {
  readonly device: SimulatedDevice;
  readonly time: SettableTime;
  /** A connection: the device speaks, then subscribes. */
  connect(): void;
  disconnect(): void;
  /** Whether the lock takes commands. */
  isOnline(): boolean;
  /** What the protocol has said so far, without what it publishes. */
  readonly effects: readonly Effect[];
  /** What the protocol has published so far: topic and payload. */
  readonly sent: readonly string[];
  /** Where the bolt has been since the last command was asked, that moment included. */
  readonly boltSinceAsked: ReadonlySet<string | undefined>;
  /** Asks; the outcome is there once it has ended, and `onEnd` is called at that moment. */
  ask(given: 'lock' | 'unlock' | LockCommand, ttlMs: number, onEnd: (outcome: CommandOutcome) => void): void;
  /** Whether a command is under way. */
  isBusy(): boolean;
}

export function meetDevice<Options extends object>(
  kind: DeviceKind<Options>,
  driver: object,
  create: Create,
  address: string,
  deviceId = '02002bb28570',
): DeviceMeeting {
  const time = createSettableTime();
  const device = create({ address, time, tell: () => undefined, travelMs: 400 });
  const { kind: _, ...options } = kind.schema.parse({ ...driver, kind: kind.kind });
  const prefixes = kind.prefixes(options as Options, deviceId);
  const effects: Effect[] = [];
  const sent: string[] = [];
  const boltSinceAsked = new Set<string | undefined>();
  let protocol: DeviceProtocol | undefined;
  let online = false;
  let cancelWake: (() => void) | undefined;
  let underWay: ((outcome: CommandOutcome) => void) | undefined;

  function take(list: readonly Effect[]): void {
    for (const effect of list) {
      if (effect.kind === 'publish') deliver(effect.topic, effect.payload);
      else effects.push(effect);
      if (effect.kind === 'online') online = true;
      if (effect.kind === 'offline') online = false;
      if (effect.kind === 'offline') underWay?.({ kind: 'lost' });
      if (effect.kind === 'end') underWay?.(effect.outcome);
      if (effect.kind === 'wake') wakeIn(effect.afterMs);
    }
  }

  function wakeIn(afterMs: number): void {
    cancelWake?.();
    const mine = protocol;
    cancelWake = time.timer(afterMs, () => take(mine?.wake(time.wall()) ?? []));
  }

  /** As a broker does: later, in order, and only what it has subscribed to. */
  function deliver(topic: string, payload: string): void {
    sent.push(`${topic} ${payload}`);
    const mine = protocol;
    if (!device.subscriptions().some((subscription) => subscription.topic === topic)) return;
    time.timer(1, () => mine === protocol && device.hear(topic, payload));
  }

  function connect(): void {
    const mine = kind.create({ deviceId, options: options as Options });
    protocol = mine;
    device.begin({
      publish(topic, payload) {
        boltSinceAsked.add(device.doors[0]?.bolt());
        if (mine !== protocol || !prefixes.some((prefix) => topic.startsWith(prefix))) return;
        // Never within the call that it answers.
        time.timer(1, () => mine === protocol && take(mine.hear({ topic, payload: Buffer.from(payload), isHistory: false }, time.wall())));
      },
    });
    const heard = new Set(device.subscriptions().map(({ topic }) => topic));
    if (kind.commandTopics(options as Options, deviceId).every((topic) => heard.has(topic)))
      time.timer(2, () => mine === protocol && take(mine.begin(time.wall())));
  }

  function disconnect(): void {
    const mine = protocol;
    protocol = undefined;
    cancelWake?.();
    device.end();
    online = false;
    underWay?.({ kind: 'lost' });
    for (const effect of mine?.ended?.(time.wall()) ?? []) effects.push(effect);
  }

  return {
    ...{ device, time, connect, disconnect, effects, sent, boltSinceAsked },
    isOnline: () => online,
    isBusy: () => underWay !== undefined,
    ask(given, ttlMs, onEnd) {
      const mine = protocol;
      const command = typeof given === 'string' ? { op: given } : given;
      boltSinceAsked.clear();
      boltSinceAsked.add(device.doors[0]?.bolt());
      const begun = online ? mine?.command(command, time.wall()) : undefined;
      if (begun === undefined) return onEnd({ kind: 'lost' });
      if ('refuse' in begun) return onEnd({ kind: 'refused', error: begun.refuse, message: begun.message });
      const cancel = time.timer(ttlMs, () => {
        finish({ kind: 'no-reply' });
        // A host resets the connection of a lock that does not answer, before anybody is told.
        disconnect();
      });
      function finish(outcome: CommandOutcome): void {
        underWay = undefined;
        cancel();
        onEnd(outcome);
      }
      underWay = finish;
      take(begun);
    },
  };
}
