// A driver of the simplest lock there could be: it obeys `<address>/command` and speaks on two topics of plain text, `<address>/state` and
// `<address>/event`. Its first state after the login begins its session.

import type { ClientConnection, ClientHandler, Receipt } from '../../src/broker/client-handlers.ts';
import { invalidParameter } from '../../src/domain/errors.ts';
import type { DeviceId, Lock, LockId, OpenState } from '../../src/domain/locks/lock.ts';
import { type CommandId, type CommandOutcome, type LockCommand, wantedBy } from '../../src/domain/locks/lock-command.ts';
import type { LockSession } from '../../src/domain/locks/lock-link.ts';
import type { LockEvent } from '../../src/domain/locks/lock-report.ts';
import type { DriverHost, DriverParts } from '../../src/drivers/driver-host.ts';
import { bareCapabilities } from './fake-driver.ts';

interface Line {
  readonly connection: ClientConnection;
  session: LockSession | undefined;
}

export function createTextDriver({ clock, locks, secrets, reports, numberEvents }: DriverHost): DriverParts {
  const lines = new Map<LockId, Line>();
  const deviceIdOf = (address: string): DeviceId | undefined =>
    /^[a-z]+$/.test(address) ? (`02${secrets.hash(`text:${address}`).slice(0, 10)}` as DeviceId) : undefined;

  const record = (lockId: LockId, event: Omit<LockEvent, 'seq'>): Promise<Receipt> =>
    reports.events(lockId, numberEvents(lockId, [event])).then(
      () => 'acknowledge',
      () => 'leave',
    );

  function open({ lockId, deviceId, driver: { keyHash } }: Lock, address: string, connection: ClientConnection): ClientHandler {
    const line: Line = { connection, session: undefined };
    let underWay: { readonly command: LockCommand; readonly commandId: CommandId; end(outcome: CommandOutcome): void } | undefined;

    async function send(command: LockCommand, commandId: CommandId, ttlMs: number): Promise<CommandOutcome> {
      if (wantedBy(command) === undefined) return { kind: 'refused', error: 'not-supported', message: '' };
      if (line.session === undefined || !(ttlMs > 0)) return { kind: 'lost' };
      return new Promise((resolve) => {
        const end = (outcome: CommandOutcome) => {
          underWay = undefined;
          cancel();
          resolve(outcome);
        };
        // The lock knows no expiry: what it has not obeyed by then, it must not get any more.
        const cancel = clock.timer(ttlMs, () => {
          end({ kind: 'no-reply' });
          connection.close('it did not answer in time');
        });
        underWay = { command, commandId, end };
        connection.publish(`${address}/command`, command.op);
      });
    }

    function heardState(state: OpenState): Receipt | Promise<Receipt> {
      if (line.session === undefined) {
        line.session = { lockId, send };
        reports.hello(lockId, { state });
      } else if (underWay !== undefined && wantedBy(underWay.command) === state) {
        const { command, commandId, end } = underWay;
        reports.reply(lockId, command, { kind: 'ok', state }, { state });
        end({ kind: 'ok', state });
        return record(lockId, { type: `remote-${command.op}`, commandId });
      } else reports.state(lockId, { state });
      return 'acknowledge';
    }

    lines.get(lockId)?.connection.close('it has logged in again');
    lines.set(lockId, line);
    return {
      clientId: `text/${deviceId}`,
      identity: () => ({ deviceId }),
      isWelcome: () => locks.get(lockId)?.driver.keyHash === keyHash,
      isUrgent: () => underWay !== undefined,
      authorizeSubscribe: (filter) => (filter === `${address}/command` ? { allow: true } : { allow: false, reason: 'foreign-topic' }),
      mayReceive: (topic) => topic === `${address}/command`,
      onPublish(topic, payload) {
        const text = payload.toString();
        if (topic === `${address}/state` && (text === 'locked' || text === 'unlocked')) return heardState(text);
        return topic === `${address}/event` ? record(lockId, { type: text }) : { allow: false, reason: 'foreign-topic' };
      },
      onClose(reason) {
        const wasOnline = line.session !== undefined;
        line.session = undefined;
        if (lines.get(lockId) === line) lines.delete(lockId);
        underWay?.end({ kind: 'lost' });
        if (wasOnline) reports.offline(lockId, reason);
      },
    };
  }

  return {
    driver: {
      kind: 'text',
      capabilities: () => bareCapabilities,
      describe({ address }) {
        const deviceId = deviceIdOf(String(address));
        if (deviceId === undefined) throw invalidParameter('driver.address', 'must be small letters');
        return { deviceId, address: String(address), options: { address } };
      },
      login: ({ address }) => ({ host: '127.0.0.1', port: 1883, tlsPort: null, username: `text-${address}` }),
      session: (lockId) => lines.get(lockId)?.session,
      disconnect: (lockId, reason) => lines.get(lockId)?.connection.close(reason),
    },
    handlers: {
      owns: (username) => username.startsWith('text-'),
      authenticate({ username = '', password = Buffer.alloc(0) }, connection) {
        const address = username.slice('text-'.length);
        const deviceId = deviceIdOf(address);
        const lock = deviceId && locks.byDevice(deviceId);
        const isRight = secrets.equal(
          secrets.hash(password.toString()),
          (lock?.driver.kind === 'text' && lock.driver.keyHash) || '0'.repeat(64),
        );
        if (lock === undefined || !isRight) return { allow: false, code: 4, reason: 'key', failedLogin: true };
        return { allow: true, client: open(lock, address, connection) };
      },
    },
  };
}
