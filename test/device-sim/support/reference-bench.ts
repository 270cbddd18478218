// The reference lock beside a broker that keeps what it says: a new lock for each test, with its own memory and a key from an installer.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { eventsMessage, type HelloMessage, helloMessage, replyMessage } from '../../../src/drivers/native/messages.ts';
import { until } from '../../support/site.ts';
import { type ListeningBroker, startListeningBroker } from './listening-broker.ts';
import { buildReferenceLock, type ReferenceLock, type ReferenceProgram } from './reference-lock.ts';

interface HeardEvent {
  readonly seq: number;
  readonly type: string;
  readonly reason?: string;
  readonly date?: number;
  readonly credential?: string;
  readonly commandId?: string;
}

interface Command {
  readonly id?: string;
  readonly session?: string;
  readonly op: string;
  readonly args?: object;
  readonly expires?: number;
}

/** For one file of tests. `lock`, `broker` and `hello` are those of the test that runs. */
export function useReferenceLock() {
  let program: ReferenceProgram;
  let broker: ListeningBroker;
  let lock: ReferenceLock;
  let hello: HelloMessage;
  let deviceId = '';
  let hellos = 0;
  let locks = 0;
  let commands = 0;

  beforeAll(async () => {
    program = await buildReferenceLock();
  });
  afterAll(() => program?.close());
  beforeEach(async () => {
    broker = await startListeningBroker();
    deviceId = `a4c1387f02${(0x10 + locks++).toString(16)}`;
    hellos = 0;
  });
  afterEach(async () => {
    await lock?.powerCut();
    expect(lock?.lines.filter((line) => /Sanitizer|runtime error/.test(line)) ?? []).toEqual([]);
    await broker.stop();
  });

  const heard = (channel: string) =>
    broker.heard.filter((message) => message.channel === channel).map(({ payload }) => JSON.parse(payload));
  const replies = (id: string) => heard('reply').filter((reply) => reply.id === id);

  /** Switches it on; `null`: it makes a key of its own. */
  async function plugIn(key: string | null = 'k'.repeat(22)): Promise<void> {
    lock = await program.lock(deviceId, key ?? undefined, broker.url);
  }

  /** Waits for one more hello than there was, and for what belongs to it. */
  async function online(): Promise<void> {
    hellos += 1;
    const sessions = () => lock.lines.flatMap((line) => /^online (\S+)$/.exec(line)?.[1] ?? []);
    await until(() => sessions().length >= hellos, 'it is online');
    const session = sessions().at(-1);
    await until(() => heard('battery').some((message) => message.session === session), 'it has said all');
    hello = helloMessage.parse(heard('hello').find((message) => message.session === session));
  }

  /** Sends a command, with room to spare unless it says otherwise; returns its id. */
  function send({ id = `c${commands++}`, op, args = {}, session = hello.session, expires = hello.uptime + 3_600_000 }: Command): string {
    broker.command(deviceId, { id, session, op, args, expires, ttl: 10_000 });
    return id;
  }

  return {
    get lock() {
      return lock;
    },
    get broker() {
      return broker;
    },
    get hello() {
      return hello;
    },
    get deviceId() {
      return deviceId;
    },
    ...{ heard, replies, plugIn, online, send },
    events: (): HeardEvent[] => heard('events').flatMap((message) => eventsMessage.parse(message).events as HeardEvent[]),
    async begin(): Promise<void> {
      await plugIn();
      await online();
    },
    async ask(command: Command) {
      const id = send(command);
      await until(() => replies(id).length > 0, `a reply to ${command.op}`);
      return replyMessage.parse(replies(id)[0]);
    },
    /** Resolves when the attempts are in its memory. */
    async swipe(card: string, times = 1): Promise<void> {
      const before = lock.lines.length;
      for (let n = 0; n < times; n++) lock.type(`swipe ${card}`);
      const said = () => lock.lines.slice(before).filter((line) => line.startsWith('event') && line.endsWith(` ${card}`)).length;
      await until(() => said() >= times, `card ${card} is in the memory`);
    },
  };
}
