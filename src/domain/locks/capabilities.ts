// What holds for a lock, and what it can do, as closed unions: an honest word on each door.

/** What a person should switch at the lock, in its app or at its bridge. */
export type CapabilityWarning = 'actions-off' | 'power-up-state' | 'cache-state' | 'open-broker';

/** Every lock can lock and unlock, and reports its open state. */
export interface Capabilities {
  /** What confirms an unlock: the bolt, a relay that has switched, or only what the device says of itself. */
  readonly success: 'bolt' | 'relay' | 'said';
  /**
   * Whether an unlock can open the door late. `bounded`: the connection is reset at the deadline, and only what the lock has by then can
   * open; `possible`: what waits in a broker or bridge can.
   */
  readonly late: 'never' | 'bounded' | 'possible';
  /** Whether the lock says why it refuses, or a refusal looks like no answer. */
  readonly refusals: 'named' | 'silent';
  /** Its answers carry the number of the command. */
  readonly matched: boolean;
  /** It can be asked for its open state. */
  readonly query: boolean;
  readonly events: 'exactly-once' | 'live' | 'none';
  /** Whom its events name. */
  readonly who: 'name' | 'number' | 'none';
  /** Its events tell of wrong codes. */
  readonly wrongCodes: boolean;
  /** It has a memory for cards: it adds, changes, removes and lists them. */
  readonly cards: boolean;
  /** It has a memory for passcodes: it adds, changes, removes and lists them. */
  readonly passcodes: boolean;
  /** It opens a credential at the hours of a schedule alone, by its own clock. */
  readonly hours: boolean;
  /** It takes one-time codes. */
  readonly once: boolean;
  /** The time after which it locks itself can be set. */
  readonly autoLock: boolean;
  /** Its switches can be set. */
  readonly settings: boolean;
  readonly battery: 'percent' | 'none';
  /** Its connection, or its last one while it has none, is encrypted; false until it has connected once. */
  readonly encrypted: boolean;
  readonly warnings: readonly CapabilityWarning[];
}

/** What not every lock can do: a request for it is refused before anything is stored or sent. */
export type Capability = 'query' | 'cards' | 'passcodes' | 'autoLock' | 'settings';

/** Whether a lock that has the capabilities `now` gets others by `changed`. */
export function changesCapabilities(now: Capabilities, changed: Partial<Capabilities>): boolean {
  return Object.entries(changed).some(([member, value]) => String(value) !== String(now[member as keyof Capabilities]));
}
