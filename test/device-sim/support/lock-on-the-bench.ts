// A lock on a workbench: its own memory file, a clock in the hand, and everything it says written down.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandFault, MemoryFault } from '../../../device-sim/faults.ts';
import { type LockMemory, openLockMemory } from '../../../device-sim/lock-memory.ts';
import { completeProfile, factoryContents, type LockProfileInput, lockProfile } from '../../../device-sim/lock-profile.ts';
import { SimulatedLock } from '../../../device-sim/simulated-lock.ts';
import type { CommandMessage, HelloMessage, ReplyMessage } from '../../../src/drivers/native/messages.ts';
import { createSettableTime, type SettableTime } from './settable-time.ts';

export const travelMs = 300;

export interface LockOnTheBench {
  readonly lock: SimulatedLock;
  readonly memory: LockMemory;
  readonly time: SettableTime;
  /** What is wrong with its memory. */
  readonly faults: Set<MemoryFault>;
  /** What it said, in order: `state unlocked`, `battery 99`, `reply c1 ok`, `reply c1 jammed`. */
  readonly said: string[];
  /** The same, whole. */
  readonly heard: { readonly channel: string; readonly payload: object }[];
  readonly replies: ReplyMessage[];
  /** What it was asked to send again; the epoch `never` is never acknowledged. */
  readonly resent: (readonly [epoch: string, from: number, to: number])[];
  /** Everything recorded so far: `card-unlock`, or `card-unlock!` when it was refused. */
  events(): string[];
  connect(): HelloMessage;
  /** Hands over a command of the current session that expires in 10 s, unless `changes` say otherwise. */
  send(op: string, args?: object, changes?: Partial<CommandMessage>, fault?: CommandFault): CommandMessage;
  /** As send, and resolves with the reply. */
  ask(op: string, args?: object, changes?: Partial<CommandMessage>): Promise<ReplyMessage>;
  /** The next reply, past or to come, to this command. */
  replyTo(command: CommandMessage): Promise<ReplyMessage>;
  /** Power off, and a lock on the same memory file. */
  reboot(): Promise<LockOnTheBench>;
  remove(): Promise<void>;
}

/** `folder`: one with a memory file in it, to boot from. `session`: the same in every hello, instead of session-1, session-2 … */
export async function putLockOnTheBench(input: LockProfileInput = {}, folder?: string, session?: string): Promise<LockOnTheBench> {
  const dir = folder ?? (await mkdtemp(join(tmpdir(), 'lock-')));
  const profile = completeProfile(lockProfile.parse({ boltTravelMs: travelMs, autoLockSeconds: 0, ...input }));
  const time = createSettableTime();
  const { eventCapacity, historyCapacity } = profile;
  const file = join(dir, 'lock.json');
  const memory = await openLockMemory({ file, factory: factoryContents(profile), eventCapacity, historyCapacity, flush: false });
  let sessions = 0;
  const faults = new Set<MemoryFault>();
  const newSession = () => session ?? `session-${++sessions}`;
  const lock = new SimulatedLock({ profile, memory, time, tell: () => undefined, newSession, memoryFaults: faults });
  const said: string[] = [];
  const heard: { channel: string; payload: object }[] = [];
  const replies: ReplyMessage[] = [];
  const resent: (readonly [string, number, number])[] = [];
  let waiting: { readonly id: string; readonly resolve: (reply: ReplyMessage) => void }[] = [];
  let commands = 0;

  const bench: LockOnTheBench = {
    lock,
    memory,
    time,
    faults,
    said,
    heard,
    replies,
    resent,
    events: () => memory.contents.events.map(({ type, success }) => (success === false ? `${type}!` : type)),
    connect: () =>
      lock.connect({
        state(message) {
          said.push(`state ${message.state}`);
          heard.push({ channel: 'state', payload: message });
        },
        battery(message) {
          said.push(`battery ${message.level}`);
          heard.push({ channel: 'battery', payload: message });
        },
        reply(reply) {
          heard.push({ channel: 'reply', payload: reply });
          said.push(`reply ${reply.id} ${reply.ok ? 'ok' : reply.error}`);
          replies.push(reply);
          for (const { resolve } of waiting.filter(({ id }) => id === reply.id)) resolve(reply);
          waiting = waiting.filter(({ id }) => id !== reply.id);
        },
        eventsKept: () => undefined,
        resendEvents: (epoch, from, to) =>
          epoch === 'never' ? new Promise(() => undefined) : Promise.resolve(resent.push([epoch, from, to])),
      }),
    send(op, args = {}, changes = {}, fault) {
      const session = lock.session ?? 'no-session';
      const ttl = 10_000;
      const command: CommandMessage = { id: `c${++commands}`, session, op, args: { ...args }, expires: lock.uptime + ttl, ttl, ...changes };
      lock.receive(command, fault);
      return command;
    },
    ask: (op, args, changes) => bench.replyTo(bench.send(op, args, changes)),
    replyTo(command) {
      const already = replies.find(({ id }) => id === command.id);
      if (already !== undefined) return Promise.resolve(already);
      return new Promise((resolve) => waiting.push({ id: command.id, resolve }));
    },
    async reboot() {
      await memory.saved();
      lock.halt();
      await memory.halt();
      return putLockOnTheBench(input, dir);
    },
    async remove() {
      lock.halt();
      await memory.saved();
      await memory.halt();
      await rm(dir, { recursive: true, force: true });
    },
  };
  return bench;
}
