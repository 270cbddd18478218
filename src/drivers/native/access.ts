// Who may connect, publish, subscribe and receive (Protocol 2, 3 and 7). Pure decisions: whatever is not allowed here is refused.
import type { ConnectRequest, SubscribeDecision } from '../../broker/client-handlers.ts';
import type { DeviceId, Lock } from '../../domain/locks/lock.ts';
import type { Secrets } from '../../domain/secrets.ts';
import type { Identity } from './identity.ts';
import type { PairingRefusal } from './pairing-service.ts';
import type { ReportChannel, Topics } from './topics.ts';

/** A device that nobody knows, with the SHA-256 of the key it made itself (Protocol 7). */
export interface UnknownDevice {
  readonly deviceId: DeviceId;
  readonly keyHash: string;
}

/** A registered lock, as far as its topics go. */
type Speaker = Pick<Identity, 'deviceId'>;

/** The lock with this deviceId, when it is bound to the hub that asks, now. */
type Bound = (deviceId: DeviceId) => Lock | undefined;

export interface ConnectRules {
  readonly topics: Topics;
  readonly secrets: Pick<Secrets, 'hash' | 'equal'>;
  credentialsOf(deviceId: DeviceId): Identity | undefined;
  isPairingOpen(): boolean;
}

export type ConnectRefusal = 'protocol' | 'client-id' | 'key' | 'keep-alive' | 'will' | 'too-many-logins' | PairingRefusal;
/** `code` is the CONNACK return code; `failedLogin` when nobody has proved to be anybody. */
export interface RefusedConnect {
  readonly allow: false;
  readonly code: 1 | 2 | 3 | 4 | 5;
  readonly reason: ConnectRefusal;
  readonly failedLogin: boolean;
}
export type ConnectDecision =
  | { readonly allow: true; readonly credentials: Identity }
  /** It may wait to be confirmed, if there is room for it. */
  | { readonly allow: true; readonly unknown: UnknownDevice }
  | RefusedConnect;

const maxKeepAliveSeconds = 120;
/** Device keys are far shorter; hashing what a stranger sends must stay cheap. */
const maxPasswordBytes = 512;
const nobodysHash = '0'.repeat(64);

/** Protocol 7: printable, and long enough for 128 random bits. */
const ownKey = /^[\x21-\x7e]{22,}$/;

/** Protocol 2: MQTT 3.1.1 only, client id = username = deviceId, its key (or while pairing is open one of its own), keep alive, will. */
export function decideConnect(request: ConnectRequest, rules: ConnectRules): ConnectDecision {
  const { topics, secrets, credentialsOf, isPairingOpen } = rules;
  const refuse = (code: 1 | 2 | 4 | 5, reason: ConnectRefusal, failedLogin: boolean) =>
    ({ allow: false, code, reason, failedLogin }) as const;

  // A bridge would get its own messages back and others' flags with them [MQTT-3.1.2-2].
  if (request.protocolId !== 'MQTT' || request.protocolVersion !== 4 || request.bridgeMode === true) return refuse(1, 'protocol', true);
  // Before the key, so that no valid key of one lock ever touches the session of another (Fault T11).
  if (request.username === undefined || request.username === '' || request.clientId !== request.username)
    return refuse(2, 'client-id', true);

  const deviceId = request.username as DeviceId;
  const isDeviceId = /^[0-9a-f]{12}$/.test(deviceId);
  const known = isDeviceId ? credentialsOf(deviceId) : undefined;
  const password = request.password ?? Buffer.alloc(0);
  if (password.length === 0 || password.length > maxPasswordBytes) return refuse(4, 'key', true);
  const key = password.toString('utf8');
  const keyHash = secrets.hash(key);
  // An unknown lock costs the same time as a wrong key: nobody learns which locks there are.
  const right = secrets.equal(keyHash, known?.keyHash ?? nobodysHash);
  const isKnown = known !== undefined && right;
  if (!isKnown && !(isDeviceId && isPairingOpen() && ownKey.test(key))) return refuse(4, 'key', true);

  const keepalive = request.keepalive ?? 0;
  if (keepalive < 1 || keepalive > maxKeepAliveSeconds) return refuse(2, 'keep-alive', false);
  if (request.will !== undefined && !isOwnWill(request.will, { deviceId }, topics)) return refuse(5, 'will', false);
  return isKnown ? { allow: true, credentials: known } : { allow: true, unknown: { deviceId, keyHash } };
}

function isOwnWill(will: NonNullable<ConnectRequest['will']>, { deviceId }: Speaker, topics: Topics): boolean {
  return will.topic === topics.build(deviceId, 'status') && will.payload.toString() === 'offline' && will.qos === 1 && will.retain === true;
}

interface PublishRefusal {
  readonly allow: false;
  readonly reason: 'unknown-topic' | 'foreign-topic' | 'command-topic' | 'hub-topic' | 'not-paired';
}
export type PublishDecision = { readonly allow: true; readonly channel: ReportChannel } | PublishRefusal;

/** Protocol 3: a lock publishes to its own six topics. What it retains nobody hears. */
export function decidePublish(identity: Speaker, topic: string, topics: Topics): PublishDecision {
  const parsed = topics.parse(topic);
  if (parsed === undefined) return { allow: false, reason: 'unknown-topic' };
  if (parsed.deviceId !== identity.deviceId) return { allow: false, reason: 'foreign-topic' };
  if (parsed.channel === 'command') return { allow: false, reason: 'command-topic' };
  return { allow: true, channel: parsed.channel };
}

/** Protocol 3: a lock subscribes to its own `command` and to nothing else. */
export function decideSubscribe(identity: Speaker, filter: string, topics: Topics): SubscribeDecision {
  if (filter.includes('+') || filter.includes('#')) return { allow: false, reason: 'wildcard' };
  const parsed = topics.parse(filter);
  if (parsed === undefined) return { allow: false, reason: 'unknown-topic' };
  if (parsed.deviceId !== identity.deviceId) return { allow: false, reason: 'foreign-topic' };
  if (parsed.channel !== 'command') return { allow: false, reason: 'report-topic' };
  return { allow: true };
}

/** The second look at delivery: whatever subscription came to be, a lock receives its own commands only (Fault T11). */
export function decideForward(identity: Speaker, topic: string, topics: Topics): boolean {
  return topic === topics.build(identity.deviceId, 'command');
}

export type HubPublishDecision =
  | { readonly allow: true; readonly lock: Lock; readonly channel: ReportChannel }
  /** Its own status. */
  | { readonly allow: true; readonly lock?: undefined }
  | PublishRefusal;

/** Protocol 8: a hub publishes to the six topics of each lock bound to it, and to its own `status`. */
export function decideHubPublish(hubId: DeviceId, topic: string, topics: Topics, bound: Bound): HubPublishDecision {
  const parsed = topics.parse(topic);
  if (parsed === undefined) return { allow: false, reason: 'unknown-topic' };
  if (parsed.deviceId === hubId) return parsed.channel === 'status' ? { allow: true } : { allow: false, reason: 'hub-topic' };
  const lock = bound(parsed.deviceId);
  if (lock === undefined) return { allow: false, reason: 'foreign-topic' };
  const decision = decidePublish(lock, topic, topics);
  return decision.allow ? { ...decision, lock } : decision;
}

/** Protocol 8: a hub subscribes to the `command` of each lock bound to it, and to nothing else. */
export function decideHubSubscribe(filter: string, topics: Topics, bound: Bound): SubscribeDecision {
  const lock = bound(topics.parse(filter)?.deviceId ?? ('' as DeviceId));
  // For whom none is bound, the reasons are those of a stranger.
  return decideSubscribe(lock ?? { deviceId: '' as DeviceId }, filter, topics);
}

/** As `decideForward`, for a hub: commands of the locks that are bound to it now. */
export function decideHubForward(topic: string, topics: Topics, bound: Bound): boolean {
  const parsed = topics.parse(topic);
  return parsed?.channel === 'command' && bound(parsed.deviceId) !== undefined;
}

/** Protocol 7: a pending device says `status` and `hello`, on its own topics only. */
export function decidePendingPublish(deviceId: DeviceId, topic: string, topics: Topics): PublishDecision {
  const decision = decidePublish({ deviceId }, topic, topics);
  if (!decision.allow || decision.channel === 'hello' || decision.channel === 'status') return decision;
  return { allow: false, reason: 'not-paired' };
}
