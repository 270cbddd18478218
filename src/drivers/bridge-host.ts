// All bridges of the gateway: a driver for each kind of program on them, and what people see of them.

import { invalidParameter } from '../domain/errors.ts';
import type { EventBus } from '../domain/event-bus.ts';
import type { AnnouncedDevice, BridgeStatus, Bridges } from '../domain/locks/bridges.ts';
import { type Capabilities, changesCapabilities } from '../domain/locks/capabilities.ts';
import type { DescribedDevice, Driver } from '../domain/locks/driver.ts';
import type { DriverOptions, Lock, LockId } from '../domain/locks/lock.ts';
import type { LockStore } from '../domain/locks/lock-ports.ts';
import type { Part } from '../domain/part.ts';
import type { Secrets } from '../domain/secrets.ts';
import { type AnnouncedByProgram, type Bridge, type BridgeHost, createBridge } from './bridge.ts';
import type { BridgeSettings } from './bridge-connection.ts';
import type { BridgeKind } from './bridge-protocol.ts';
import { deviceIdentity } from './device-identity.ts';
import { invalidDriver } from './invalid-driver.ts';

/** Announced locks that people see of one bridge. */
const maxAnnounced = 256;

export interface BridgeHostOptions extends Omit<BridgeHost, 'learned' | 'strangersKnown'> {
  readonly bridges: readonly BridgeSettings[];
  readonly kinds: readonly BridgeKind<object>[];
  readonly locks: Pick<LockStore, 'all' | 'get'>;
  readonly secrets: Pick<Secrets, 'hash'>;
  readonly events: EventBus;
}

export interface BridgeParts {
  /** One for each kind, whether or not a bridge has it. */
  readonly drivers: readonly Driver[];
  /** Connects to all brokers; a broker that is away does not hold up the start. */
  readonly part: Part;
  readonly bridges: Bridges;
}

export function createBridgeParts(options: BridgeHostOptions): BridgeParts {
  const { kinds, locks, events } = options;
  const learned = new Map<LockId, Partial<Capabilities>>();
  const registered = createRegisteredLocks(kinds);

  const kindOf = ({ driver }: Lock) => kinds.find(({ kind }) => kind === driver.kind);
  const bridgeOf = ({ driver }: Pick<Lock, 'driver'>) => bridges.get(String((driver.options as { readonly bridge?: unknown }).bridge));
  function capabilitiesOf(lock: Lock, kind: BridgeKind<object>): Capabilities {
    const now = { ...kind.capabilities(lock.driver.options), ...learned.get(lock.lockId) };
    const bridge = bridgeOf(lock);
    const warnings = bridge?.admitsStrangers() === true ? ([...now.warnings, 'open-broker'] as const) : now.warnings;
    return { ...now, encrypted: bridge?.settings.url.startsWith('mqtts:') === true, warnings };
  }
  const host: BridgeHost = {
    ...options,
    learned(lockId, changed) {
      const lock = locks.get(lockId);
      const kind = lock && kindOf(lock);
      if (lock === undefined || kind === undefined) return;
      const before = { ...kind.capabilities(lock.driver.options), ...learned.get(lockId) };
      if (!changesCapabilities(before, changed)) return;
      learned.set(lockId, { ...learned.get(lockId), ...changed });
      events.emit('capabilities-changed', { lockId });
    },
    strangersKnown(bridge) {
      for (const lockId of registered.onBridge(bridge)) events.emit('capabilities-changed', { lockId });
    },
  };
  const bridges: ReadonlyMap<string, Bridge> = new Map(
    options.bridges.map((settings) => [settings.name, createBridge(settings, kinds, host)]),
  );

  events.subscribe('lock-changed', ({ before, after }) => {
    const lock = after ?? before;
    const isOver = after === undefined;
    if (lock === undefined || (before !== undefined && !isOver)) return;
    if (isOver) learned.delete(lock.lockId);
    const place = registered.set(lock, isOver);
    if (place !== undefined) bridges.get(place.bridge)?.follow(place.kind, place.locks);
  });

  return {
    drivers: kinds.map((kind) => createBridgeDriver(kind, options, bridges, (lock) => capabilitiesOf(lock, kind))),
    part: {
      name: 'bridges',
      async start() {
        for (const lock of locks.all()) registered.set(lock, false);
        for (const bridge of bridges.values()) {
          for (const { kind } of kinds) bridge.follow(kind, registered.of(bridge.settings.name, kind));
          bridge.start();
        }
      },
      async stop() {
        await Promise.all([...bridges.values()].map((bridge) => bridge.stop()));
      },
    },
    bridges: createBridgeViews(options, bridges, registered),
  };
}

interface RegisteredLocks {
  /** By their address in the program. */
  of(bridge: string, kind: string): ReadonlyMap<string, LockId>;
  onBridge(bridge: string): readonly LockId[];
  /** Where it is; undefined: it is not behind a bridge. */
  set(lock: Lock, isOver: boolean): { bridge: string; kind: string; locks: ReadonlyMap<string, LockId> } | undefined;
}

function createRegisteredLocks(kinds: readonly BridgeKind<object>[]): RegisteredLocks {
  const places = new Map<string, Map<string, LockId>>();
  const none: ReadonlyMap<string, LockId> = new Map();
  const of = (bridge: string, kind: string) => places.get(`${bridge}/${kind}`) ?? none;
  return {
    of,
    onBridge: (bridge) => kinds.flatMap(({ kind }) => [...of(bridge, kind).values()]),
    set({ lockId, driver }, isOver) {
      const kind = kinds.find((one) => one.kind === driver.kind);
      const { bridge } = driver.options as { readonly bridge?: unknown };
      if (kind === undefined || typeof bridge !== 'string') return undefined;
      const key = `${bridge}/${kind.kind}`;
      const locks = places.get(key) ?? new Map<string, LockId>();
      places.set(key, locks);
      const address = kind.address(driver.options);
      if (!isOver) locks.set(address, lockId);
      else if (locks.get(address) === lockId) locks.delete(address);
      return { bridge, kind: kind.kind, locks };
    },
  };
}

function createBridgeDriver(
  kind: BridgeKind<object>,
  { secrets }: Pick<BridgeHostOptions, 'secrets'>,
  bridges: ReadonlyMap<string, Bridge>,
  capabilities: (lock: Lock) => Capabilities,
): Driver {
  return {
    kind: kind.kind,
    capabilities,
    describe(given) {
      const parsed = kind.schema.safeParse({ ...given, kind: kind.kind });
      if (!parsed.success) throw invalidDriver(parsed.error.issues);
      const { kind: _, ...options } = parsed.data;
      const programs = bridges.get(options.bridge)?.settings.programs ?? [];
      if (programs.every((program) => program.kind !== kind.kind))
        throw invalidParameter('driver.bridge', `must be a bridge of the configuration that has ${kind.kind}`);
      return describedBy(kind, options, secrets);
    },
    session(lockId) {
      for (const bridge of bridges.values()) {
        const session = bridge.session(lockId);
        if (session !== undefined) return session;
      }
      return undefined;
    },
    disconnect(lockId, reason) {
      for (const bridge of bridges.values()) bridge.sendAway(lockId, reason);
    },
  };
}

/** Its address among all locks of its kind begins with the bridge. */
function describedBy(
  kind: BridgeKind<object>,
  options: DriverOptions & { readonly bridge: string },
  secrets: Pick<Secrets, 'hash'>,
): DescribedDevice {
  const address = `${options.bridge}/${kind.address(options)}`;
  return { deviceId: deviceIdentity({ kind: kind.kind, address: () => address }, options, secrets).deviceId, address, options };
}

function createBridgeViews(
  { kinds, secrets }: BridgeHostOptions,
  bridges: ReadonlyMap<string, Bridge>,
  registered: RegisteredLocks,
): Bridges {
  function statusOf(bridge: Bridge): BridgeStatus {
    const { name, url, programs } = bridge.settings;
    const drivers = programs.map((program, n) => ({ ...program, online: bridge.isOnline(n) }));
    return { name, url, ...bridge.state(), locks: registered.onBridge(name).length, drivers, admitsStrangers: bridge.admitsStrangers() };
  }

  function announcedOn(bridge: Bridge): readonly AnnouncedDevice[] {
    const { name, programs } = bridge.settings;
    const roots = programs.flatMap(({ kind, settings }) => {
      const root = kinds.find((one) => one.kind === kind)?.root?.(settings);
      return root === undefined ? [] : [{ kind, root: `${root}/` }];
    });
    const isDouble = (lock: AnnouncedByProgram) => roots.some(({ kind, root }) => kind !== lock.kind && lock.commandTopic.startsWith(root));
    const isWanted = (lock: AnnouncedByProgram) => !registered.of(name, lock.kind).has(lock.address) && !isDouble(lock);
    const wanted = bridge.announced().filter(isWanted);
    const sorted = wanted.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    return sorted.slice(0, maxAnnounced).flatMap((lock) => asDevice(bridge, lock));
  }

  function asDevice({ settings, state }: Bridge, lock: AnnouncedByProgram): AnnouncedDevice[] {
    const kind = kinds.find((one) => one.kind === lock.kind);
    if (kind === undefined) return [];
    const driver = { ...lock.driver, bridge: settings.name };
    const { kind: _, ...options } = driver;
    const { deviceId } = describedBy(kind, options, secrets);
    const { name, make, model, since, refused } = lock;
    const address = `${settings.name}: ${lock.topic}`;
    return [{ deviceId, driver, address, name, make, model, since, connected: state().connected, refused }];
  }

  const announced = () => [...bridges.values()].flatMap(announcedOn);
  return {
    list: () => [...bridges.values()].map(statusOf),
    announced,
    announcedAs: (deviceId) => announced().find((device) => device.deviceId === deviceId),
  };
}
