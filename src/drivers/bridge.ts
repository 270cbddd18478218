// One bridge: a connection to a broker elsewhere, and the programs on it. Each message goes to the programs that have asked for its topic.
import type { Clock } from '../domain/clock.ts';
import type { Capabilities } from '../domain/locks/capabilities.ts';
import type { LockId } from '../domain/locks/lock.ts';
import type { LockSession } from '../domain/locks/lock-link.ts';
import type { Log } from '../domain/part.ts';
import { createRateLimitedLog } from '../domain/rate-limited-log.ts';
import { RateLimiter } from '../domain/rate-limiter.ts';
import type { BridgeEvents, BridgeSettings, OpenBridge } from './bridge-connection.ts';
import { BridgeLock } from './bridge-lock.ts';
import type { AnnouncedLock, BridgeEffect, BridgeKind, BridgeProtocol } from './bridge-protocol.ts';
import type { CaptureTap } from './capture-tap.ts';
import type { DeviceMessage } from './device-protocol.ts';
import type { ProtocolSessionOptions } from './session-host.ts';
import { createTopicTable, type TopicTable } from './topic-table.ts';

/** At the beginning a broker sends all that it has stored; after that, a program that says more is broken or hostile. */
const messageRate = { perSecond: 1_000, burst: 50_000 };
/** Milliseconds of work: a long list costs more than a word, and all other doors wait for it. Of one message no more counts, for the process may have stood. */
const workRate = { perSecond: 250, burst: 10_000 };
const workAtMostMs = 1_000;
/** Whether strangers may subscribe is looked at so often at most. */
const strangerMs = 3_600_000;

export interface BridgeHost extends Pick<ProtocolSessionOptions, 'reports' | 'records'> {
  readonly clock: Clock;
  readonly log: Log;
  readonly captures: CaptureTap;
  readonly open: OpenBridge;
  /** The lock has said what it can do. */
  learned(lockId: LockId, changed: Partial<Capabilities>): void;
  /** It is known now whether strangers may subscribe. */
  strangersKnown(bridge: string): void;
}

export interface AnnouncedByProgram extends AnnouncedLock {
  readonly kind: string;
}

export interface Bridge {
  readonly settings: BridgeSettings;
  start(): void;
  stop(): Promise<void>;
  /** The registered locks of this kind, by their address in the program. */
  follow(kind: string, locks: ReadonlyMap<string, LockId>): void;
  session(lockId: LockId): LockSession | undefined;
  sendAway(lockId: LockId, reason: string): void;
  state(): { readonly connected: boolean; readonly since: number; readonly reason: string };
  /** In the order of the settings. */
  isOnline(program: number): boolean;
  admitsStrangers(): boolean | null;
  announced(): readonly AnnouncedByProgram[];
}

interface Program {
  readonly kind: BridgeKind<object>;
  readonly settings: Readonly<Record<string, string>>;
  wanted: ReadonlyMap<string, LockId>;
  /** Of this connection; undefined while there is none. */
  machine: BridgeProtocol | undefined;
  isOnline: boolean;
  readonly topics: TopicTable;
  readonly locks: Map<string, BridgeLock>;
}

export function createBridge(settings: BridgeSettings, kinds: readonly BridgeKind<object>[], host: BridgeHost): Bridge {
  const { clock, log, captures } = host;
  const { name: bridge } = settings;
  const limited = createRateLimitedLog({ clock, log });
  const programs = settings.programs.flatMap(({ kind: wanted, settings: own }): Program[] => {
    const kind = kinds.find((one) => one.kind === wanted);
    const empty = { wanted: new Map(), machine: undefined, isOnline: false, locks: new Map() };
    return kind === undefined ? [] : [{ kind, settings: own, topics: createTopicTable(), ...empty }];
  });
  /** Of each program, the locks by their lockId. */
  const byLock = new Map<LockId, Set<BridgeLock>>();
  let rate = new RateLimiter({ clock, ...messageRate });
  const work = new RateLimiter({ clock, ...workRate });
  let state = { connected: false, since: clock.now(), reason: 'it has not been connected yet' };
  let strangers: { readonly admits: boolean; readonly at: number } | undefined;

  /** What a program makes of something; nothing when it has a bug. */
  function called(work: () => readonly BridgeEffect[]): readonly BridgeEffect[] {
    try {
      return work();
    } catch (error) {
      onBug(error);
      return [];
    }
  }
  function onBug(error: unknown): void {
    log.error({ code: 'bug', bridge, err: error }, 'What came over a bridge was not handled.');
  }

  function take(program: Program, effects: readonly BridgeEffect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'subscribe') {
        program.topics.add(effect.filters);
        connection.subscribe(effect.filters);
      } else if (effect.kind === 'unsubscribe') {
        program.topics.remove(effect.filters);
        connection.unsubscribe(effect.filters.filter((filter) => programs.every(({ topics }) => !topics.hasFilter(filter))));
      } else if (effect.kind === 'program') program.isOnline = effect.online;
      else program.locks.get(effect.address)?.apply(effect.effect);
    }
  }

  function addLock(program: Program, machine: BridgeProtocol, address: string, lockId: LockId): void {
    const lock = new BridgeLock({
      ...{ lockId, clock, reports: host.reports, records: host.records, address, machine, onBug },
      publish(topic, payload, ttlMs) {
        connection.publish(topic, payload, ttlMs);
        const { kind } = program.kind;
        if (captures.isOn(kind)) captures.heard(kind, lockId, { from: 'gateway', topic, qos: 0, retain: false, payload });
      },
      capabilities: (changed) => host.learned(lockId, changed),
      takeOther: (effects) => take(program, effects),
    });
    program.locks.set(address, lock);
    byLock.set(lockId, (byLock.get(lockId) ?? new Set()).add(lock));
  }
  function removeLock(program: Program, address: string, reason: string): void {
    const lock = program.locks.get(address);
    if (lock === undefined) return;
    program.locks.delete(address);
    const others = byLock.get(lock.lockId);
    others?.delete(lock);
    if (others?.size === 0) byLock.delete(lock.lockId);
    lock.end(reason);
  }

  /** Brings what the program follows in line with what is registered. */
  function lookAt(program: Program): void {
    const { machine, wanted, locks } = program;
    if (machine === undefined) return;
    for (const [address, { lockId }] of locks)
      if (wanted.get(address) !== lockId) removeLock(program, address, 'it is not registered any more');
    for (const [address, lockId] of wanted) if (!locks.has(address)) addLock(program, machine, address, lockId);
    take(
      program,
      called(() => machine.follow(new Set(wanted.keys()), clock.now())),
    );
  }

  function capture({ kind, locks }: Program, { topic, payload, isHistory }: DeviceMessage, effects: readonly BridgeEffect[]): void {
    if (!captures.isOn(kind.kind)) return;
    const line = { from: 'device', topic, qos: 0, retain: isHistory, payload: payload.toString() } as const;
    const addresses = new Set(effects.flatMap((effect) => (effect.kind === 'lock' ? [effect.address] : [])));
    const lockIds = [...addresses].flatMap((address) => locks.get(address)?.lockId ?? []);
    for (const lockId of lockIds.length > 0 ? lockIds : [null]) captures.heard(kind.kind, lockId, line);
  }

  function hear(message: DeviceMessage): void {
    for (const program of programs) {
      const { machine } = program;
      if (machine === undefined || !program.topics.matches(message.topic)) continue;
      const effects = called(() => machine.hear(message, clock.now()));
      capture(program, message, effects);
      take(program, effects);
    }
  }

  const events: BridgeEvents = {
    onUp() {
      state = { connected: true, since: clock.now(), reason: '' };
      rate = new RateLimiter({ clock, ...messageRate });
      log.info({ code: 'bridge-connected', bridge, url: settings.url }, 'a bridge is connected');
      for (const program of programs) {
        const machine = program.kind.create(program.settings);
        program.machine = machine;
        take(
          program,
          called(() => machine.begin(clock.now())),
        );
        lookAt(program);
      }
      void lookForStrangers();
    },
    onDown(reason) {
      const { connected, reason: before } = state;
      state = { connected: false, since: connected ? clock.now() : state.since, reason };
      if (connected || reason !== before) log.warn({ code: 'bridge-away', bridge, url: settings.url, reason }, 'a bridge is not connected');
      for (const program of programs) {
        for (const address of program.locks.keys()) removeLock(program, address, `the bridge ${bridge} is not connected: ${reason}`);
        program.machine = undefined;
        program.isOnline = false;
        program.topics.clear();
      }
    },
    onMessage(topic, payload, isHistory) {
      if (work.left() < 1 || !rate.take()) {
        limited.warn('flood', { code: 'bridge-flooded', bridge }, 'A bridge brings more messages than are looked at.');
        return;
      }
      const begunAt = clock.monotonic();
      hear({ topic, payload, isHistory });
      work.spend(Math.min(workAtMostMs, clock.monotonic() - begunAt));
    },
    onRefused(filters) {
      const shown = filters.slice(0, 8);
      limited.warn(
        'refused',
        { code: 'bridge-refuses', bridge, filters: shown },
        'The broker of a bridge does not let the gateway subscribe.',
      );
    },
  };
  const connection = host.open(settings, events);

  async function lookForStrangers(): Promise<void> {
    if (strangers !== undefined && clock.monotonic() - strangers.at < strangerMs) return;
    const admits = settings.hasLogin ? await connection.admitsStrangers() : true;
    if (admits === undefined) return;
    const isNew = strangers?.admits !== admits;
    strangers = { admits, at: clock.monotonic() };
    if (!isNew) return;
    if (admits)
      log.warn({ code: 'bridge-open', bridge, url: settings.url }, 'The broker of a bridge lets everybody subscribe without a password.');
    host.strangersKnown(bridge);
  }

  return {
    settings,
    start: () => connection.start(),
    async stop() {
      for (const program of programs) {
        for (const address of program.locks.keys()) removeLock(program, address, 'the gateway stops');
        program.machine = undefined;
      }
      await connection.stop();
    },
    follow(kind, locks) {
      for (const program of programs) {
        if (program.kind.kind !== kind) continue;
        program.wanted = locks;
        lookAt(program);
      }
    },
    session: (lockId) => [...(byLock.get(lockId) ?? [])].map((lock) => lock.session()).find((session) => session !== undefined),
    sendAway(lockId, reason) {
      for (const lock of byLock.get(lockId) ?? []) lock.sendAway(reason);
    },
    state: () => state,
    isOnline: (program) => programs[program]?.isOnline === true,
    admitsStrangers: () => strangers?.admits ?? null,
    announced: () => programs.flatMap(({ kind, machine }) => (machine?.announced() ?? []).map((lock) => ({ ...lock, kind: kind.kind }))),
  };
}
