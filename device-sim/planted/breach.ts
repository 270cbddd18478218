// What stands in for a part of the polite lock where a fault is planted, and the means to write one.
import type { z } from 'zod';
import {
  type BatteryMessage,
  commandMessage,
  type EventsMessage,
  type HelloMessage,
  type ReplyMessage,
  type StateMessage,
} from '../../src/drivers/native/messages.ts';
import type { ReportChannel } from '../../src/drivers/native/topics.ts';
import type { LockMemory } from '../lock-memory.ts';
import type { LockProfile } from '../lock-profile.ts';
import type { Carrier } from '../lock-talk.ts';
import type { LineLogin, Qos, Reconnect } from '../mqtt-line.ts';
import type { Random } from '../seeded-random.ts';
import type { SimulatedLock } from '../simulated-lock.ts';
import type { TimeSource } from '../time-source.ts';

/** A command as it came, with members that the lock may not know; its arguments are not checked yet. */
const receivedCommand = commandMessage.loose();
export type ReceivedCommand = z.infer<typeof receivedCommand>;

/** What a lock with a planted fault has in the place of parts of the polite one. */
export interface Breach {
  readonly profile?: (profile: LockProfile) => LockProfile;
  /** What its CONNECT says. */
  readonly login?: (login: LineLogin) => LineLogin;
  readonly reconnect?: Reconnect;
  /** Its chance, such as the jitter of its waits. */
  readonly random?: Random;
  readonly newSession?: () => string;
  /** Called at each boot, with what the memory file holds. */
  readonly memory?: (memory: LockMemory) => LockMemory;
  /** Called at each connect, with the way on which the lock speaks. */
  readonly carrier?: (carrier: Carrier, memory: LockMemory) => Carrier;
  /** The commands that the lock takes this one for: none, one or several. */
  readonly hears?: (command: ReceivedCommand, lock: SimulatedLock, memory: LockMemory) => readonly ReceivedCommand[];
  /** The code for which the lock takes one that is typed at its keypad. */
  readonly types?: (code: string) => string;
}

/** What the lock takes a message on its command topic for; what is no command stays as it came. */
export function heardOtherwise(text: string, hears: (command: ReceivedCommand) => readonly ReceivedCommand[]): readonly string[] {
  const command = commandIn(text);
  return command === undefined ? [text] : hears(command).map((heard) => JSON.stringify(heard));
}

function commandIn(text: string): ReceivedCommand | undefined {
  try {
    return receivedCommand.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** A fault that breaks one rule of the protocol, seen from outside. */
export interface PlantedFault {
  /** The place in PROTOCOL.md, such as `Protocol 5.3 rule 1`. */
  readonly rule: string;
  /** What the lock does, for people: `asks for a persistent session`. */
  readonly does: string;
  /** Made once for each lock; what it remembers outlives a power cut. */
  readonly breach: (time: TimeSource) => Breach;
}

interface Payloads {
  readonly status: string;
  readonly hello: HelloMessage;
  readonly state: StateMessage;
  readonly battery: BatteryMessage;
  readonly events: EventsMessage;
  readonly reply: ReplyMessage;
}

type Publish = Carrier['publish'];

/** A carrier that publishes on this channel in another way. */
export function publishing(channel: ReportChannel, publish: (carrier: Carrier, ...said: Parameters<Publish>) => Promise<void>) {
  return (carrier: Carrier): Carrier => ({
    ...carrier,
    publish: (...said) => (said[0] === channel ? publish(carrier, ...said) : carrier.publish(...said)),
  });
}

/** A carrier that says these payloads on this channel in place of each one: none, one or several. */
export function saying<C extends ReportChannel>(channel: C, instead: (payload: Payloads[C]) => readonly (object | string)[]) {
  return publishing(channel, async (carrier, _channel, text, ...how) => {
    const payload = (channel === 'status' ? text : JSON.parse(text)) as Payloads[C];
    const said = instead(payload).map((other) => (typeof other === 'string' ? other : JSON.stringify(other)));
    await Promise.all(said.map((other) => carrier.publish(channel, other, ...how)));
  });
}

/** A carrier that publishes on this channel with another flag. */
export function sending(channel: ReportChannel, flags: { readonly retain?: boolean; readonly qos?: Qos }) {
  return publishing(channel, (carrier, _channel, payload, retain, qos) =>
    carrier.publish(channel, payload, flags.retain ?? retain, flags.qos ?? qos),
  );
}

/** Both, the first one nearer to the lock. */
export function both(first: (carrier: Carrier) => Carrier, second: (carrier: Carrier) => Carrier) {
  return (carrier: Carrier): Carrier => first(second(carrier));
}

/** The command with these arguments in place of its own of the same name. */
export function withArguments(command: ReceivedCommand, args: object): ReceivedCommand {
  return { ...command, args: { ...command.args, ...args } };
}

/** A card or passcode in a command. */
export type Item = Readonly<Record<string, unknown>>;

/** Those of put-credentials and remove-credentials; of any other command none. */
export function itemsOf({ args: { items } }: ReceivedCommand): readonly Item[] {
  return Array.isArray(items) ? (items as readonly Item[]) : [];
}

/** Takes each card and passcode of a command for this one. */
export function taking(change: (item: Item) => Item): Breach {
  const changed = (command: ReceivedCommand): ReceivedCommand => {
    const { cardNumber, items } = command.args;
    if (items !== undefined) return withArguments(command, { items: itemsOf(command).map((item) => change(item)) });
    if (cardNumber === undefined) return command;
    const { number } = change({ kind: 'card', number: cardNumber });
    return withArguments(command, { cardNumber: number });
  };
  return { hears: (command) => [changed(command)] };
}
