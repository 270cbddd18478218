// What Zigbee2MQTT publishes, as far as we use it. A message that has another form is as if it had not come.
import { z } from 'zod';
import type { OpenState } from '../../domain/locks/lock.ts';

/** A lock as `bridge/devices` describes it. */
export interface ZigbeeDevice {
  readonly ieee: string;
  /** Its topic below the base; may have spaces and slashes. */
  readonly name: string;
  readonly make: string;
  readonly model: string;
  /** It is in use: neither disabled nor still being asked what it is. */
  readonly isReady: boolean;
  /** It tells `lock_state`, which says more than `state`. */
  readonly hasLockState: boolean;
  /** It can be asked for its state. */
  readonly query: boolean;
  readonly passcodes: boolean;
  readonly autoLock: boolean;
  readonly battery: boolean;
  /** Why it cannot be used; null: it can. */
  readonly refused: string | null;
}

/** At most so many locks of a program are looked at, among so many devices with so many exposes each. */
const maxLocks = 1_024;
const maxDevices = 10_000;
const maxExposes = 256;

const feature = z.object({ name: z.string().optional(), property: z.string().optional(), access: z.int().optional() });
const expose = feature.extend({ type: z.string().optional(), features: z.array(z.unknown()).optional() });
const entry = z.object({
  ieee_address: z.string().regex(/^0x[0-9a-f]{16}$/),
  friendly_name: z.string().min(1).max(512),
  disabled: z.boolean().optional(),
  interview_state: z.string().optional(),
  definition: z.object({ model: z.string(), vendor: z.string(), exposes: z.array(z.unknown()) }),
});
type Feature = z.infer<typeof feature>;

/** The locks in `bridge/devices`; undefined: that is no list. Whatever else is in it is passed over. */
export function readDevices(payload: Buffer): readonly ZigbeeDevice[] | undefined {
  const list = readJson(payload);
  if (!Array.isArray(list)) return undefined;
  const locks: ZigbeeDevice[] = [];
  for (const item of list.slice(0, maxDevices)) {
    const lock = asLock(item);
    if (lock !== undefined) locks.push(lock);
    if (locks.length === maxLocks) break;
  }
  return locks;
}

function asLock(item: unknown): ZigbeeDevice | undefined {
  const parsed = entry.safeParse(item);
  if (!parsed.success) return undefined;
  const { definition, ...device } = parsed.data;
  const exposes = definition.exposes.slice(0, maxExposes).flatMap((given) => expose.safeParse(given).data ?? []);
  const parts = exposes.filter(({ type }) => type === 'lock');
  const features = (parts[0]?.features ?? []).slice(0, maxExposes).flatMap((given) => feature.safeParse(given).data ?? []);
  const state = features.find(({ name }) => name === 'state');
  if (state === undefined) return undefined;
  const has = (wanted: string, among: readonly Feature[] = exposes) => among.some(({ name, property }) => (property ?? name) === wanted);
  return {
    ieee: device.ieee_address,
    name: device.friendly_name,
    make: definition.vendor.slice(0, 128),
    model: definition.model.slice(0, 128),
    isReady: device.disabled !== true && (device.interview_state ?? 'SUCCESSFUL') === 'SUCCESSFUL',
    hasLockState: has('lock_state', features),
    query: canBeAsked(state),
    passcodes: has('pin_code') || has('pin_code', features),
    autoLock: has('auto_relock_time') || has('auto_relock_time', features),
    battery: has('battery'),
    refused: refusalOf(device.friendly_name, parts.length, state),
  };
}

/** Bit 2 of `access`: `/get` brings an answer. */
function canBeAsked({ access = 0b111 }: Feature): boolean {
  return (access & 0b100) !== 0;
}

function refusalOf(name: string, parts: number, state: Feature): string | null {
  if (/[+#\0]/.test(name)) return 'friendly_name: + and #';
  if (parts > 1 || (state.property ?? 'state') !== 'state') return 'exposes: several locks in one device';
  return null;
}

const bridgeConfig = z.object({ config: z.object({ advanced: z.object({ cache_state: z.boolean() }) }) });

/** Whether it repeats cached values in its messages; undefined: it does not say. */
export function readCacheState(payload: Buffer): boolean | undefined {
  return bridgeConfig.safeParse(readJson(payload)).data?.config.advanced.cache_state;
}

/** Of `bridge/state` and `…/availability`, in the old form as well; undefined: neither. */
export function readOnline(payload: Buffer): boolean | undefined {
  const text = payload.toString();
  const said = text === 'online' || text === 'offline' ? text : z.object({ state: z.string() }).safeParse(readJson(payload)).data?.state;
  if (said !== 'online' && said !== 'offline') return undefined;
  return said === 'online';
}

/** What Zigbee2MQTT says it could not do. */
export interface ZigbeeFailure {
  /** `set` or `get`. */
  readonly verb: string;
  /** Such as `state`. */
  readonly key: string;
  /** The friendly name of the device. */
  readonly name: string;
  readonly message: string;
}

const errorLine = z.object({ level: z.literal('error'), message: z.string() });
const failedPublish = /^(?:z2m: )?Publish '(set|get)' '(\w{1,64})' to '(.{1,512}?)' failed: /;

/** A line of `bridge/logging` that says what could not be done; undefined: it says something else. */
export function readFailure(payload: Buffer): ZigbeeFailure | undefined {
  // Most lines are of another level, and long.
  if (!payload.includes('"error"')) return undefined;
  const message = errorLine.safeParse(readJson(payload)).data?.message ?? '';
  const [, verb, key, name] = failedPublish.exec(message) ?? [];
  return verb === undefined || key === undefined || name === undefined ? undefined : { verb, key, name, message };
}

const slotNumber = /^\d{1,5}$/;
const report = z.object({
  lock_state: z.string().optional().catch(undefined),
  state: z.string().optional().catch(undefined),
  battery: z.number().min(0).max(100).optional().catch(undefined),
  battery_low: z.boolean().optional().catch(undefined),
  auto_relock_time: z.number().optional().catch(undefined),
  users: z
    .record(z.string(), z.object({ status: z.string() }))
    .optional()
    .catch(undefined),
  action: z.string().optional().catch(undefined),
  action_source_name: z.string().nullish().catch(undefined),
  action_user: z.number().nullish().catch(undefined),
  last_unlock_source: z.string().nullish().catch(undefined),
  last_unlock_user: z.number().nullish().catch(undefined),
});

/** A message of a lock. A code in clear, such as `last_used_pin_code` or that of a user, is not in it. */
export interface ZigbeeReport {
  readonly state?: OpenState | undefined;
  readonly battery?: number | undefined;
  readonly isBatteryLow?: boolean | undefined;
  readonly autoLockSeconds?: number | undefined;
  /** `enabled`, `available` and others, by slot. */
  readonly users: ReadonlyMap<number, string>;
  readonly action?: string | undefined;
  readonly source?: string | undefined;
  readonly slot?: number | undefined;
  readonly lastSource?: string | undefined;
  readonly lastSlot?: number | undefined;
}

/** undefined: it is no object. */
export function readReport(payload: Buffer, hasLockState: boolean): ZigbeeReport | undefined {
  const { data } = report.safeParse(readJson(payload));
  if (data === undefined) return undefined;
  const users = Object.entries(data.users ?? {}).filter(([slot]) => slotNumber.test(slot));
  return {
    state: hasLockState ? boltStates[data.lock_state ?? ''] : switchStates[data.state ?? ''],
    battery: data.battery === undefined ? undefined : Math.round(data.battery),
    isBatteryLow: data.battery_low,
    autoLockSeconds: data.auto_relock_time,
    users: new Map(users.map(([slot, { status }]) => [Number(slot), status])),
    action: data.action || undefined,
    source: data.action_source_name ?? undefined,
    slot: asSlot(data.action_user),
    lastSource: data.last_unlock_source ?? undefined,
    lastSlot: asSlot(data.last_unlock_user),
  };
}

const boltStates: Readonly<Record<string, OpenState>> = { locked: 'locked', unlocked: 'unlocked', not_fully_locked: 'unlocked' };
const switchStates: Readonly<Record<string, OpenState>> = { LOCK: 'locked', UNLOCK: 'unlocked' };

/** 65535 stands for nobody. */
function asSlot(user: number | null | undefined): number | undefined {
  return typeof user === 'number' && Number.isInteger(user) && user >= 0 && user < 65_535 ? user : undefined;
}

function readJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString());
  } catch {
    return undefined;
  }
}
