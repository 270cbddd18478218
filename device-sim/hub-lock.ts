// One lock behind a simulated hub (Protocol 8). Its Bluetooth link to the hub takes the place of a WiFi lock's network.
import type { DeviceId } from '../src/domain/locks/lock.ts';
import type { CommandMessage, HelloMessage } from '../src/drivers/native/messages.ts';
import type { ReportChannel, Topics } from '../src/drivers/native/topics.ts';
import type { LockConnection } from './lock-connection.ts';
import { type Carrier, createLockTalk, type LockTalkOptions } from './lock-talk.ts';
import type { Line, LineConnection, LineOptions } from './mqtt-line.ts';

/** A lock as its hub sees it. */
export interface HubLock {
  readonly connection: LockConnection;
  /** The hub is connected to the gateway. */
  up(): void;
  down(): void;
  command(text: string): void;
}

/** After this time the hub tries a lock again whose subscription the gateway refused, because it is not bound to this hub. */
const askAgainMs = 2_000;

export function createHubLock(options: {
  readonly deviceId: DeviceId;
  readonly talk: Omit<LockTalkOptions, 'pairs' | 'onTakenIn'>;
  readonly topics: Topics;
  readonly time: LineOptions['time'];
  readonly tell: (line: string) => void;
  /** After this time the hub tries a lock again whose link has broken. */
  readonly retryMs: number;
  /** The connection of the hub; undefined until the hub connects. */
  readonly line: () => Line | undefined;
}): HubLock {
  const { deviceId, topics, time, tell, line } = options;
  const talk = createLockTalk({ ...options.talk, pairs: false });
  let linked = false;
  let held: (() => void)[] | undefined;
  let helloAt = 0;
  let cancelRetry: (() => void) | undefined;

  const whenThawed = (action: () => void): void => {
    if (held === undefined) action();
    else held.push(action);
  };

  function carrierOf(connection: LineConnection): Carrier {
    return {
      publish(channel: ReportChannel, payload, retain) {
        if (channel === 'hello') helloAt = time.monotonic();
        return new Promise((resolve, reject) => {
          whenThawed(() => connection.publish(topics.build(deviceId, channel), payload, retain).then(resolve, reject));
        });
      },
      subscribe: () => connection.subscribe(topics.build(deviceId, 'command')),
      breakOff() {
        unlink();
        retry(options.retryMs);
      },
      // The hub says nothing for a lock that is not bound to it: the gateway would close the connection, and all its locks would be
      // offline.
      refused() {
        tell(`${deviceId} is not bound to this hub`);
        retry(askAgainMs);
      },
    };
  }

  function retry(ms: number): void {
    cancelRetry?.();
    cancelRetry = time.timer(ms, begin);
  }

  function begin(): void {
    cancelRetry?.();
    cancelRetry = undefined;
    linked = true;
    const connection = line()?.connection;
    if (connection === undefined) return;
    talk.end();
    void talk.begin(carrierOf(connection));
  }

  /** The hub has lost the link to the lock and reports it offline. */
  function unlink(): void {
    cancelRetry?.();
    cancelRetry = undefined;
    linked = false;
    talk.farewell().catch(() => undefined);
    talk.end();
  }

  /** Protocol 8 rule 3: the hub checks a command before it hands it over, by the uptime in its own hello for that lock. */
  function check(command: CommandMessage, hello: HelloMessage): 'hand-over' | 'expired' {
    const uptime = hello.uptime + (time.monotonic() - helloAt);
    return command.session === hello.session && command.expires >= uptime ? 'hand-over' : 'expired';
  }

  function thaw(): void {
    const actions = held ?? [];
    held = undefined;
    for (const action of actions) action();
  }

  return {
    up() {
      if (linked) begin();
    },
    down: talk.end,
    command: (text) => whenThawed(() => talk.take(text, check)),
    connection: {
      start: begin,
      restore: begin,
      async stop() {
        thaw();
        unlink();
      },
      cut: unlink,
      freeze() {
        held ??= [];
      },
      thaw,
      // The gateway takes the lock for offline until its next hello (Protocol 8 rule 5).
      answersAgain: begin,
      get online() {
        return talk.online;
      },
      waiting: false,
      get trouble() {
        return line()?.trouble;
      },
      whenOnline: talk.whenOnline,
    },
  };
}
