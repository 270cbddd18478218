// The protocol of a make and a simulated device of that make, face to face: no network between them, and one clock, which a test holds.
import type { SimulatedDevice } from '../../device-sim/devices/device.ts';
import type { CommandOutcome, LockCommand } from '../../src/domain/locks/lock-command.ts';
import type { BridgeEffect, BridgeKind } from '../../src/drivers/bridge-protocol.ts';
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
  /** Where the bolt has been since the last command was asked, and while what was underway then was said: nobody can tell those apart. */
  boltSinceAsked(): readonly (string | undefined)[];
  /** Asks; the outcome is there once it has ended, and `onEnd` is called at that moment. */
  ask(given: 'lock' | 'unlock' | LockCommand, ttlMs: number, onEnd: (outcome: CommandOutcome) => void): void;
  /** Whether a command is under way. */
  isBusy(): boolean;
}

/** How long a message is on its way. */
const wayMs = 1;

/** What a meeting needs of a make. */
type MeetingKind<Options> = Pick<DeviceKind<Options>, 'kind' | 'schema' | 'prefixes' | 'commandTopics' | 'create'>;

/** A lock behind a program on a broker, as if it were a device of its own that says everything anew at each connect. */
export function asMeetingKind<Options extends object>(kind: BridgeKind<Options>, settings: Record<string, string>): MeetingKind<Options> {
  return {
    ...{ kind: kind.kind, schema: kind.schema, prefixes: () => [''], commandTopics: () => [] },
    create({ options }) {
      const program = kind.create(settings);
      const address = kind.address(options);
      const of = (effects: readonly BridgeEffect[]) =>
        effects.flatMap((effect) => (effect.kind === 'lock' && effect.address === address ? [effect.effect] : []));
      program.begin(0);
      program.follow(new Set([address]), 0);
      return {
        begin: () => [],
        hear: (message, now) => of(program.hear(message, now)),
        command(command, now) {
          const begun = program.command(address, command, now);
          return 'refuse' in begun ? begun : of(begun);
        },
        expire: (now) => of(program.expire(address, now)),
        wake: (now) => of(program.wake(address, now)),
      };
    },
  };
}

export function meetDevice<Options extends object>(
  kind: MeetingKind<Options>,
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
  const bolts: { readonly at: number; readonly bolt: string | undefined }[] = [];
  let askedAt = 0;
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

  function noteBolt(): void {
    bolts.push({ at: time.monotonic(), bolt: device.doors[0]?.bolt() });
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
    if (!device.subscriptions().some(({ topic: filter }) => filter === topic || filter === `${topic.split('/')[0]}/#`)) return;
    time.timer(wayMs, () => mine === protocol && device.hear(topic, payload));
  }

  function connect(): void {
    const mine = kind.create({ deviceId, options: options as Options });
    protocol = mine;
    device.begin({
      publish(topic, payload) {
        noteBolt();
        if (mine !== protocol || !prefixes.some((prefix) => topic.startsWith(prefix))) return;
        // Never within the call that it answers.
        time.timer(
          wayMs,
          () => mine === protocol && take(mine.hear({ topic, payload: Buffer.from(payload), isHistory: false }, time.wall())),
        );
      },
    });
    const heard = new Set(device.subscriptions().map(({ topic }) => topic));
    if (kind.commandTopics(options as Options, deviceId).every((topic) => heard.has(topic)))
      time.timer(2 * wayMs, () => mine === protocol && take(mine.begin(time.wall())));
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
    ...{ device, time, connect, disconnect, effects, sent },
    boltSinceAsked: () => bolts.filter(({ at }) => at >= askedAt - wayMs).map(({ bolt }) => bolt),
    isOnline: () => online,
    isBusy: () => underWay !== undefined,
    ask(given, ttlMs, onEnd) {
      const mine = protocol;
      const command = typeof given === 'string' ? { op: given } : given;
      askedAt = time.monotonic();
      noteBolt();
      const begun = online ? mine?.command(command, time.wall()) : undefined;
      if (begun === undefined) return onEnd({ kind: 'lost' });
      if ('refuse' in begun) return onEnd({ kind: 'refused', error: begun.refuse, message: begun.message });
      const cancel = time.timer(ttlMs, () => {
        finish({ kind: 'no-reply' });
        // A host resets the connection of a device that does not answer, before anybody is told; a bridge speaks for others as well.
        if (prefixes.includes('')) take(mine?.expire(time.wall()) ?? []);
        else disconnect();
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
