// Random conversations with the protocol of a make, and what must hold in all of them.
import fc from 'fast-check';
import { type LockCommand, wantedBy } from '../../src/domain/locks/lock-command.ts';
import type { CommandRefusal, DeviceProtocol, Effect } from '../../src/drivers/device-protocol.ts';
import { captureStart } from './protocol-replay.ts';

export interface Said {
  readonly topic: string;
  readonly payload: string | Buffer;
}

/** What was done to a protocol, in order, each with what followed. */
export interface Turn {
  readonly heard?: Said;
  readonly command?: LockCommand;
  readonly effects: readonly Effect[];
}

export interface Conversation {
  readonly turns: readonly Turn[];
}

type Step = { readonly heard: Said } | { readonly command: LockCommand['op'] } | { readonly do: 'begin' | 'expire' | 'wake' };

/** Conversations in which the device says what it could say, and nonsense, at any time. `topics`: those to which it publishes. */
export function conversations(
  create: () => DeviceProtocol,
  said: fc.Arbitrary<Said>,
  topics: readonly string[],
): fc.Arbitrary<Conversation> {
  const nonsense = fc.record({
    topic: fc.constantFrom(...topics),
    payload: fc.oneof(
      fc.string(),
      fc.json(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(Buffer.alloc(65_536, 'a'), Buffer.from([0xff, 0xfe]), Buffer.alloc(0)),
    ),
  });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 10, arbitrary: fc.record({ heard: said }) },
    { weight: 1, arbitrary: fc.record({ heard: nonsense }) },
    { weight: 3, arbitrary: fc.record({ command: fc.constantFrom<LockCommand['op']>('unlock', 'lock', 'get-status') }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom<'begin' | 'expire' | 'wake'>('expire', 'wake') }) },
  );
  return fc.array(step, { maxLength: 60 }).map((steps) => ({ turns: talk(create(), [{ do: 'begin' }, ...steps]) }));
}

function talk(protocol: DeviceProtocol, steps: readonly Step[]): readonly Turn[] {
  let now = captureStart;
  let isFree = true;
  return steps.flatMap((step): Turn[] => {
    now += 100;
    if ('command' in step) {
      // The host gives one command at a time.
      if (!isFree) return [];
      const command = { op: step.command } as LockCommand;
      const answer = protocol.command(command, now);
      isFree = isRefusal(answer);
      return [{ command, effects: isRefusal(answer) ? [] : answer }];
    }
    if ('do' in step) {
      if (step.do === 'expire') isFree = true;
      return [{ effects: protocol[step.do](now) }];
    }
    const { topic, payload } = step.heard;
    const effects = protocol.hear({ topic, payload: Buffer.from(payload), isHistory: false }, now);
    if (effects.some(({ kind }) => kind === 'end' || kind === 'offline')) isFree = true;
    return [{ heard: step.heard, effects }];
  });
}

function isRefusal(answer: readonly Effect[] | CommandRefusal): answer is CommandRefusal {
  return 'refuse' in answer;
}

/** Each lock or unlock that was confirmed: what was heard from the command on, the last of it included. */
export function confirmations({ turns }: Conversation): readonly { readonly state: string | undefined; readonly since: readonly Said[] }[] {
  let since: Said[] = [];
  let wanted: string | undefined;
  return turns.flatMap(({ heard, command, effects }) => {
    if (command !== undefined) {
      since = [];
      wanted = wantedBy(command);
    }
    if (heard !== undefined) since.push(heard);
    return effects.flatMap((effect) => {
      if (effect.kind !== 'end' || effect.outcome.kind !== 'ok' || wanted === undefined) return [];
      return [{ state: effect.outcome.state, since: [...since] }];
    });
  });
}

/** Whether an `end` came where no device has said anything, or a wake is asked for in the past. */
export function isOutOfTurn({ turns }: Conversation): boolean {
  return turns.some(({ heard, effects }) =>
    effects.some((effect) => (effect.kind === 'end' && heard === undefined) || (effect.kind === 'wake' && !(effect.afterMs >= 0))),
  );
}

/** The events in which something was locked or unlocked. */
export function operations({ turns }: Conversation): readonly string[] {
  return turns
    .flatMap(({ effects }) => effects)
    .flatMap((effect) => (effect.kind === 'event' ? [effect.event.type] : []))
    .filter((type) => /lock$/.test(type));
}
