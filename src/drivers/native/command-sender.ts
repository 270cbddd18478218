// Sends commands to locks and waits for their replies. Keeps, for each lock, its one current connection and the
// session that its hello began (Protocol 4.1, 5 and 6).

import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { CommandId, CommandOutcome } from '../../domain/locks/lock-command.ts';
import type { Log } from '../../domain/part.ts';
import { createRateLimitedLog } from '../../domain/rate-limited-log.ts';
import { commandPayload, outcomeOf } from './command-payload.ts';
import type { LockLine } from './lock-line.ts';
import type { HelloMessage, ReplyMessage } from './messages.ts';
import type { NativeCommand, NativeLink, NativeSession } from './own-commands.ts';
import type { Topics } from './topics.ts';

export interface CommandSenderOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly topics: Topics;
  readonly emit: Emit;
}

/** What the report receiver tells: connections that come and go, hellos, replies. */
export interface CommandSender extends NativeLink {
  connected(connection: LockLine): void;
  /** The command under way, if any, ends as lost. */
  ended(connection: LockLine): void;
  /** Begins a session; false for a hello that merely arrived twice, which changes nothing (Fault T9). */
  begin(connection: LockLine, hello: Pick<HelloMessage, 'session' | 'uptime'>): boolean;
  /** Whether the last status of this connection leaves it online (Protocol 6). */
  setAvailable(connection: LockLine, available: boolean): void;
  /** The session text that this connection's reports must carry; undefined before its hello. */
  sessionText(connection: LockLine): string | undefined;
  online(connection: LockLine): boolean;
  /** A command is under way on this connection. */
  busy(connection: LockLine): boolean;
  /**
   * Takes the command that waits for this reply, so that nothing else can end it; `resolve` ends it with this outcome.
   * Undefined, and logged, for a late, unknown or repeated reply (Protocol 5.4 rules 4 and 5).
   */
  take(connection: LockLine, reply: ReplyMessage): Answered | undefined;
}

export interface Answered {
  readonly command: NativeCommand;
  readonly outcome: CommandOutcome;
  resolve(): void;
}

interface Pending {
  readonly command: NativeCommand;
  /** Ends the wait; only the first call counts. */
  end(outcome: CommandOutcome): void;
  cancelTimer(): void;
}

interface Session {
  readonly text: string;
  /** The lock's uptime in its hello, and our monotonic time when that came. */
  readonly uptime: number;
  readonly at: number;
  readonly handle: NativeSession;
}

interface Link {
  readonly connection: LockLine;
  /** None until the first command: most locks of a building are asked nothing for hours. */
  pending: Map<string, Pending> | undefined;
  session: Session | undefined;
  available: boolean;
}

/** The LockLink over MQTT. Publishes to the very connection whose hello began the session, never through a subscription. */
export function createCommandSender({ clock, log, topics, emit }: CommandSenderOptions): CommandSender {
  const links = new Map<LockId, Link>();
  const limited = createRateLimitedLog({ clock, log });
  /** The locks whose connection, or last one, is encrypted. */
  const encrypted = new Set<LockId>();

  function linkOf(connection: LockLine): Link | undefined {
    const link = links.get(connection.lockId);
    return link?.connection === connection ? link : undefined;
  }

  function noteEncryption({ lockId, isEncrypted }: LockLine): void {
    if (encrypted.has(lockId) === isEncrypted) return;
    if (isEncrypted) encrypted.add(lockId);
    else encrypted.delete(lockId);
    emit('capabilities-changed', { lockId });
  }

  function lose(link: Link): void {
    for (const pending of link.pending?.values() ?? []) pending.end({ kind: 'lost' });
    link.pending = undefined;
    link.session = undefined;
  }

  function send(link: Link, session: Session, command: NativeCommand, id: CommandId, ttl: number, from: number): Promise<CommandOutcome> {
    // A session that has ended must not reach the connection or session that followed it (Protocol 5.3 rule 1, Faults T6 and T7).
    if (link.session !== session || !link.available) return Promise.resolve({ kind: 'lost' });
    const ttlMs = Math.floor(ttl);
    // Without time left, or under an id that already waits, nothing is sent: no bolt moves late or twice.
    if (!(ttlMs > 0)) return Promise.resolve({ kind: 'no-reply' });
    if (link.pending?.has(id)) return Promise.resolve({ kind: 'refused', error: 'busy', message: 'this command is already under way' });

    return new Promise((resolve) => {
      const pending: Pending = {
        command,
        end(outcome) {
          cancelTimer();
          link.pending?.delete(id);
          resolve(outcome);
        },
        cancelTimer: () => cancelTimer(),
      };
      const cancelTimer = clock.timer(ttlMs, () => pending.end({ kind: 'no-reply' }));
      link.pending ??= new Map();
      link.pending.set(id, pending);
      const expires = session.uptime + Math.floor(from - session.at) + ttlMs;
      try {
        link.connection.publish(
          topics.build(link.connection.deviceId, 'command'),
          commandPayload(command, { id, session: session.text, expires, ttlMs }),
        );
      } catch (error) {
        log.error({ code: 'command-unsent', lockId: link.connection.lockId, op: command.op, err: error }, 'A command could not be sent.');
        pending.end({ kind: 'lost' });
      }
    });
  }

  return {
    session(lockId) {
      const link = links.get(lockId);
      return link?.available ? link.session?.handle : undefined;
    },
    isEncrypted: (lockId) => encrypted.has(lockId),
    disconnect: (lockId, reason) => links.get(lockId)?.connection.close(reason),

    connected(connection) {
      const earlier = links.get(connection.lockId);
      if (earlier !== undefined) lose(earlier);
      links.set(connection.lockId, { connection, pending: undefined, session: undefined, available: true });
      noteEncryption(connection);
    },
    ended(connection) {
      const link = linkOf(connection);
      if (link === undefined) return;
      links.delete(connection.lockId);
      lose(link);
    },
    begin(connection, { session: text, uptime }) {
      const link = linkOf(connection);
      if (link === undefined) return false;
      if (link.session?.text === text && link.session.uptime === uptime) return false;
      lose(link);
      const session: Session = {
        text,
        uptime,
        at: clock.monotonic(),
        handle: {
          lockId: connection.lockId,
          send: (command, commandId, ttlMs, from = clock.monotonic()) =>
            isForPasscodes(command) ? Promise.resolve(noWords) : send(link, session, command, commandId, ttlMs, from),
        },
      };
      link.session = session;
      return true;
    },
    setAvailable(connection, available) {
      const link = linkOf(connection);
      if (link !== undefined) link.available = available;
    },
    sessionText: (connection) => linkOf(connection)?.session?.text,
    online(connection) {
      const link = linkOf(connection);
      return link?.session !== undefined && link.available;
    },
    busy: (connection) => (linkOf(connection)?.pending?.size ?? 0) > 0,
    take(connection, reply) {
      const pending = linkOf(connection)?.pending?.get(reply.id);
      if (pending === undefined) {
        const { lockId, deviceId } = connection;
        limited.warn(
          `reply ${lockId}`,
          { code: 'reply-ignored', lockId, deviceId, commandId: reply.id, ok: reply.ok },
          'A late, unknown or repeated reply was ignored.',
        );
        return undefined;
      }
      pending.cancelTimer();
      linkOf(connection)?.pending?.delete(reply.id);
      const { command } = pending;
      const outcome = outcomeOf(command, reply);
      return { command, outcome, resolve: () => pending.end(outcome) };
    },
  };
}

const noWords: CommandOutcome = { kind: 'refused', error: 'not-supported', message: 'the protocol has no words for passcodes' };

function isForPasscodes({ op }: NativeCommand): boolean {
  return op === 'put-passcode' || op === 'remove-passcode' || op === 'list-passcodes';
}
