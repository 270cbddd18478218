// Who may connect, publish, subscribe and receive (Protocol 2 and 3). Pure decisions: whatever is not allowed here is refused.
import type { DeviceId, LockId } from '../domain/lock.ts';
import type { Secrets } from '../domain/ports.ts';
import type { ReportChannel, Topics } from './topics.ts';

/** Who a connection has proved to be. */
export interface Identity {
  readonly deviceId: DeviceId;
  readonly lockId: LockId;
}

/** A registered lock as far as its login goes. */
export interface Credentials extends Identity {
  /** SHA-256 of the device key. */
  readonly keyHash: string;
}

/** The members of a CONNECT that decide. */
export interface ConnectRequest {
  readonly clientId: string;
  readonly username?: string | undefined;
  readonly password?: Buffer | undefined;
  readonly protocolId?: string;
  readonly protocolVersion?: number;
  /** The highest bit of the protocol version was set. */
  readonly bridgeMode?: boolean;
  /** Seconds. */
  readonly keepalive?: number;
  readonly will?: { readonly topic: string; readonly payload: Buffer | string; readonly qos?: number; readonly retain?: boolean };
}

export interface ConnectRules {
  readonly topics: Topics;
  readonly secrets: Pick<Secrets, 'hash' | 'equal'>;
  credentialsOf(deviceId: DeviceId): Credentials | undefined;
}

export type ConnectRefusal = 'protocol' | 'client-id' | 'key' | 'keep-alive' | 'will';
export type ConnectDecision =
  | { readonly allow: true; readonly credentials: Credentials }
  /** `code` is the CONNACK return code; `failedLogin` when nobody has proved to be anybody. */
  | { readonly allow: false; readonly code: 1 | 2 | 4 | 5; readonly reason: ConnectRefusal; readonly failedLogin: boolean };

const maxKeepAliveSeconds = 120;
/** Device keys are far shorter; hashing what a stranger sends must stay cheap. */
const maxPasswordBytes = 512;
const nobodysHash = '0'.repeat(64);

/** Protocol 2: MQTT 3.1.1 only, client id = username = deviceId of a registered lock, its key, keep alive, will. */
export function decideConnect(request: ConnectRequest, { topics, secrets, credentialsOf }: ConnectRules): ConnectDecision {
  const refuse = (code: 1 | 2 | 4 | 5, reason: ConnectRefusal, failedLogin: boolean) =>
    ({ allow: false, code, reason, failedLogin }) as const;

  // A bridge would get its own messages back and others' flags with them [MQTT-3.1.2-2].
  if (request.protocolId !== 'MQTT' || request.protocolVersion !== 4 || request.bridgeMode === true) return refuse(1, 'protocol', true);
  // Before the key, so that no valid key of one lock ever touches the session of another (T11).
  if (request.username === undefined || request.username === '' || request.clientId !== request.username)
    return refuse(2, 'client-id', true);

  const deviceId = request.username as DeviceId;
  const known = /^[0-9a-f]{12}$/.test(deviceId) ? credentialsOf(deviceId) : undefined;
  const password = request.password ?? Buffer.alloc(0);
  if (password.length === 0 || password.length > maxPasswordBytes) return refuse(4, 'key', true);
  // An unknown lock costs the same time as a wrong key: nobody learns which locks there are.
  const right = secrets.equal(secrets.hash(password.toString('utf8')), known?.keyHash ?? nobodysHash);
  if (known === undefined || !right) return refuse(4, 'key', true);

  const keepalive = request.keepalive ?? 0;
  if (keepalive < 1 || keepalive > maxKeepAliveSeconds) return refuse(2, 'keep-alive', false);
  if (request.will !== undefined && !isOwnWill(request.will, known, topics)) return refuse(5, 'will', false);
  return { allow: true, credentials: known };
}

function isOwnWill(will: NonNullable<ConnectRequest['will']>, { deviceId }: Identity, topics: Topics): boolean {
  return will.topic === topics.build(deviceId, 'status') && will.payload.toString() === 'offline' && will.qos === 1 && will.retain === true;
}

export type PublishDecision =
  | { readonly allow: true; readonly channel: ReportChannel; readonly mayRetain: boolean }
  | { readonly allow: false; readonly reason: 'unknown-topic' | 'foreign-topic' | 'command-topic' };

/** Protocol 3: a lock publishes to its own six topics; only `status` may be retained. */
export function decidePublish(identity: Identity, topic: string, topics: Topics): PublishDecision {
  const parsed = topics.parse(topic);
  if (parsed === undefined) return { allow: false, reason: 'unknown-topic' };
  if (parsed.deviceId !== identity.deviceId) return { allow: false, reason: 'foreign-topic' };
  if (parsed.channel === 'command') return { allow: false, reason: 'command-topic' };
  return { allow: true, channel: parsed.channel, mayRetain: parsed.channel === 'status' };
}

export type SubscribeDecision =
  | { readonly allow: true }
  | { readonly allow: false; readonly reason: 'wildcard' | 'unknown-topic' | 'foreign-topic' | 'report-topic' };

/** Protocol 3: a lock subscribes to its own `command` and to nothing else. */
export function decideSubscribe(identity: Identity, filter: string, topics: Topics): SubscribeDecision {
  if (filter.includes('+') || filter.includes('#')) return { allow: false, reason: 'wildcard' };
  const parsed = topics.parse(filter);
  if (parsed === undefined) return { allow: false, reason: 'unknown-topic' };
  if (parsed.deviceId !== identity.deviceId) return { allow: false, reason: 'foreign-topic' };
  if (parsed.channel !== 'command') return { allow: false, reason: 'report-topic' };
  return { allow: true };
}

/** The second look at delivery: whatever subscription came to be, a lock receives its own commands only (T11). */
export function decideForward(identity: Identity, topic: string, topics: Topics): boolean {
  return topic === topics.build(identity.deviceId, 'command');
}
