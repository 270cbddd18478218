// One registered lock behind Zigbee2MQTT, from the beginning to the end of a connection to the broker.
import type { Capabilities } from '../../domain/locks/capabilities.ts';
import type { OpenState } from '../../domain/locks/lock.ts';
import type { LockCommand } from '../../domain/locks/lock-command.ts';
import type { CommandRefusal, Effect } from '../device-protocol.ts';
import { eventOfAction, eventOfLastUnlock, radioOp } from './actions.ts';
import type { ZigbeeDevice, ZigbeeFailure, ZigbeeReport } from './messages.ts';
import type { HeardReport, Voice, Work } from './under-way.ts';
import { workFor } from './work.ts';

/** How long after a command the lock may still tell that it was moved over the radio, by us. */
const echoMs = 60_000;

export interface ZigbeeLock {
  /** What `bridge/devices` says of it now; undefined: it is not there. */
  describe(device: ZigbeeDevice | undefined): readonly Effect[];
  programIs(online: boolean): readonly Effect[];
  /** undefined: not known, which counts as cached. */
  cacheStateIs(isCached: boolean | undefined): readonly Effect[];
  availabilityIs(online: boolean): readonly Effect[];
  report(report: ZigbeeReport, isHistory: boolean, now: number): readonly Effect[];
  /** Zigbee2MQTT could not `set` or `get` this. */
  failed(failure: ZigbeeFailure, now: number): readonly Effect[];
  command(command: LockCommand, now: number): readonly Effect[] | CommandRefusal;
  expire(now: number): readonly Effect[];
  wake(): readonly Effect[];
}

export function createZigbeeLock(base: string, ieee: string): ZigbeeLock {
  const voice: Voice = {
    set: (what) => ({ kind: 'publish', topic: `${base}/${ieee}/set`, payload: JSON.stringify(what) }),
    get: (what) => ({ kind: 'publish', topic: `${base}/${ieee}/get`, payload: JSON.stringify(what) }),
  };
  let device: ZigbeeDevice | undefined;
  let isProgramOnline = false;
  let isAvailable = true;
  let isOnline = false;
  let cached: boolean | undefined;
  /** What the last message said that was not history: with a cache only what differs from it is news. */
  let state: OpenState | undefined;
  let autoLockSeconds: number | undefined;
  let battery: number | undefined;
  let isBatteryLow: boolean | undefined;
  let users = new Map<number, string>();
  let hasHeardState = false;
  let work: Work | undefined;
  /** The last lock or unlock of ours whose echo has not been heard. `isRecorded`: the gateway has made its record. */
  let echo: { readonly op: 'lock' | 'unlock'; readonly until: number; readonly isRecorded: boolean } | undefined;

  function forget(): void {
    state = undefined;
    autoLockSeconds = undefined;
    users = new Map();
    hasHeardState = false;
  }

  /** The session is as long as the program runs, has the lock, and does not say that it is away. */
  function look(): readonly Effect[] {
    const why = whyOffline();
    if ((why === undefined) === isOnline) return [];
    isOnline = !isOnline;
    if (why === undefined) return [{ kind: 'online', hello: { modelNum: device?.model ?? '' } }];
    work = undefined;
    forget();
    return [{ kind: 'offline', reason: why }];
  }
  function whyOffline(): string | undefined {
    if (!isProgramOnline) return 'Zigbee2MQTT does not run';
    if (device === undefined) return 'Zigbee2MQTT does not have it';
    if (device.refused !== null) return `Zigbee2MQTT has it in a form that is not understood (${device.refused})`;
    if (!device.isReady) return 'it is disabled in Zigbee2MQTT, or not ready yet';
    return isAvailable ? undefined : 'Zigbee2MQTT says that it is away';
  }

  function capabilities(): readonly Effect[] {
    if (device === undefined) return [];
    const { passcodes, autoLock, query } = device;
    const warnings: Capabilities['warnings'] = cached === true ? ['cache-state'] : [];
    return [{ kind: 'capabilities', changed: { passcodes, autoLock, query, battery: device.battery ? 'percent' : 'none', warnings } }];
  }

  /** Compares the report with what was said before, and remembers it. */
  function compare(report: ZigbeeReport): HeardReport {
    const isCached = cached !== false;
    const isFresh = <T>(now: T | undefined, before: T | undefined): boolean =>
      now !== undefined && (!isCached || (before !== undefined && now !== before));
    const before = users;
    const isFreshState = isFresh(report.state, state);
    const isFreshAutoLock = isFresh(report.autoLockSeconds, autoLockSeconds);
    state = report.state ?? state;
    autoLockSeconds = report.autoLockSeconds ?? autoLockSeconds;
    if (report.users.size > 0) users = new Map([...users, ...report.users].slice(-maxSlots));
    return { report, isFreshState, isFreshAutoLock, isFreshSlot: (slot) => isFresh(report.users.get(slot), before.get(slot)) };
  }

  function stateEffects({ report, isFreshState }: HeardReport): readonly Effect[] {
    if (report.state === undefined) return [];
    const isFirst = !hasHeardState;
    hasHeardState = true;
    if (isFreshState) return [{ kind: 'state', state: report.state }];
    return isFirst ? [{ kind: 'state', state: report.state, isHistory: true }] : [];
  }

  function batteryEffects(report: ZigbeeReport): readonly Effect[] {
    const effects: Effect[] = [];
    if (report.battery !== undefined && report.battery !== battery) {
      battery = report.battery;
      effects.push({ kind: 'battery', level: battery });
    }
    if (report.isBatteryLow !== undefined && report.isBatteryLow !== isBatteryLow) {
      isBatteryLow = report.isBatteryLow;
      effects.push({ kind: 'battery-critical', isCritical: isBatteryLow });
    }
    return effects;
  }

  /** Something happened at the door; what our own command did is no event besides its record. */
  function eventEffects(report: ZigbeeReport, isOwn: boolean, now: number): readonly Effect[] {
    const event = eventOfAction(report) ?? (report.action === undefined && cached === false ? eventOfLastUnlock(report) : undefined);
    if (event === undefined || isOwn) return [];
    const op = radioOp(report);
    const isEcho = echo !== undefined && now <= echo.until && (op ?? (event.type === 'phone-unlock' ? 'unlock' : undefined)) === echo.op;
    if (!isEcho) return [{ kind: 'event', event }];
    const isRecorded = echo?.isRecorded === true;
    echo = undefined;
    return isRecorded ? [] : [{ kind: 'event', event: { ...event, type: `remote-${op ?? 'unlock'}` } }];
  }

  /** The effects that end the work under way, if any, after what else they say. */
  function follow(effects: readonly Effect[], now: number): readonly Effect[] {
    const end = effects.find(({ kind }) => kind === 'end');
    if (end === undefined || work === undefined) return effects;
    const isOk = end.kind === 'end' && end.outcome.kind === 'ok';
    expect(now, isOk);
    work = undefined;
    return effects;
  }
  function expect(now: number, isRecorded: boolean): void {
    if (work?.wanted === undefined) return;
    echo = { op: work.wanted === 'locked' ? 'lock' : 'unlock', until: now + echoMs, isRecorded };
  }

  return {
    describe(now) {
      device = now;
      return [...capabilities(), ...look()];
    },
    programIs(online) {
      isProgramOnline = online;
      // It publishes cached states when it starts.
      forget();
      return look();
    },
    cacheStateIs(isCached) {
      if (cached === isCached) return [];
      cached = isCached;
      return capabilities();
    },
    availabilityIs(online) {
      isAvailable = online;
      return look();
    },

    report(report, isHistory, now) {
      if (!isOnline) return [];
      if (isHistory) {
        if (report.state === undefined || hasHeardState) return [];
        hasHeardState = true;
        return [{ kind: 'state', state: report.state, isHistory: true }];
      }
      const heard = compare(report);
      const { wanted } = work ?? {};
      const answer = follow(work?.heard(heard) ?? [], now);
      const isEnd = answer.some(({ kind }) => kind === 'end');
      const op = radioOp(report);
      const isOwn = isEnd && op !== undefined && op === (wanted === 'locked' ? 'lock' : wanted && 'unlock');
      if (isOwn) echo = undefined;
      // The state is in the outcome, so that it is not said twice.
      const said = isEnd && wanted !== undefined && report.state === wanted ? [] : stateEffects(heard);
      return [...said, ...batteryEffects(report), ...eventEffects(report, isOwn, now), ...answer];
    },

    failed: (failure, now) => follow(work?.failed(failure) ?? [], now),

    command(command, now) {
      const { passcodes = false, autoLock = false, query = false } = device ?? {};
      const begun = workFor(command, { voice, passcodes, autoLock, query, isCached: cached !== false, users });
      if ('refuse' in begun) return begun;
      work = begun;
      if (work.wanted !== undefined) echo = undefined;
      return follow(begun.first, now);
    },
    expire(now) {
      expect(now, false);
      work = undefined;
      return [];
    },
    wake: () => work?.wake() ?? [],
  };
}

/** What is remembered of the slots of one lock. */
const maxSlots = 512;
