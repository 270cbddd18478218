// One registered lock that announces itself, from the beginning to the end of a connection to the broker.
import type { OpenState } from '../../domain/locks/lock.ts';
import type { LockCommand } from '../../domain/locks/lock-command.ts';
import type { CommandRefusal, Effect } from '../device-protocol.ts';
import type { BatterySensor, LockEntity } from './announcement.ts';

export interface DiscoveredLock {
  /** What announces it now, and the batteries of its device; undefined: nothing does any more. */
  describe(entity: LockEntity | undefined, batteries: readonly BatterySensor[]): readonly Effect[];
  /** To which it wants to listen. */
  topics(): readonly string[];
  hear(topic: string, payload: string, isHistory: boolean): readonly Effect[];
  command(command: LockCommand): readonly Effect[] | CommandRefusal;
  expire(): readonly Effect[];
}

export function createDiscoveredLock(): DiscoveredLock {
  let entity: LockEntity | undefined;
  let batteries: readonly BatterySensor[] = [];
  /** What each topic of its availability has said. */
  let available = new Map<string, boolean>();
  let latest: boolean | undefined;
  let isOnline = false;
  let isJammed = false;
  let hasHeardState = false;
  /** Heard before the session, such as from the store of the broker. */
  let before: OpenState | undefined;
  let wanted: OpenState | undefined;
  let battery: number | undefined;

  function look(): readonly Effect[] {
    const why = whyOffline();
    if ((why === undefined) === isOnline) return [];
    isOnline = !isOnline;
    if (why === undefined) {
      const online: Effect = { kind: 'online', hello: { modelNum: entity?.model ?? '' } };
      hasHeardState = before !== undefined;
      return before === undefined ? [online] : [online, { kind: 'state', state: before, isHistory: true }];
    }
    before = undefined;
    wanted = undefined;
    hasHeardState = false;
    isJammed = false;
    return [{ kind: 'offline', reason: why }];
  }
  function whyOffline(): string | undefined {
    if (entity === undefined) return 'nothing announces it';
    if (entity.isOurs) return 'it is a lock of a gateway such as this one';
    if (entity.refused !== null) return `its announcement is not understood (${entity.refused})`;
    return isAvailable(entity) ? undefined : 'it is said to be unavailable';
  }
  /** A topic that has said nothing yet says no. */
  function isAvailable({ availability, availabilityMode }: LockEntity): boolean {
    if (availability.length === 0) return true;
    if (availabilityMode === 'latest') return latest === true;
    const said = availability.map(({ topic }) => available.get(topic) === true);
    return availabilityMode === 'all' ? said.every(Boolean) : said.some(Boolean);
  }

  function heardAvailability({ availability }: LockEntity, topic: string, payload: string): readonly Effect[] {
    for (const one of availability) {
      if (one.topic !== topic) continue;
      const value = one.value(payload);
      if (value !== one.available && value !== one.notAvailable) continue;
      latest = value === one.available;
      available.set(topic, latest);
    }
    return look();
  }

  function heardState({ states, value }: LockEntity, payload: string, isHistory: boolean): readonly Effect[] {
    const said = value(payload);
    const state = said === states.locked ? 'locked' : said === states.unlocked ? 'unlocked' : undefined;
    if (!isOnline) before = state ?? before;
    if (!isOnline) return [];
    if (said === states.jammed) return isHistory ? [] : jammed();
    if (state === undefined) return [];
    if (isHistory) {
      if (hasHeardState) return [];
      hasHeardState = true;
      return [{ kind: 'state', state, isHistory: true }];
    }
    hasHeardState = true;
    isJammed = false;
    if (wanted !== state) return [{ kind: 'state', state }];
    wanted = undefined;
    return [{ kind: 'end', outcome: { kind: 'ok', state } }];
  }
  function jammed(): readonly Effect[] {
    const isNew = !isJammed;
    isJammed = true;
    if (wanted !== undefined) {
      wanted = undefined;
      return [{ kind: 'end', outcome: { kind: 'refused', error: 'jammed', message: 'it says that it is jammed' } }];
    }
    return isNew ? [{ kind: 'event', event: { type: 'jammed', success: false } }] : [];
  }

  function heardBattery(topic: string, payload: string): readonly Effect[] {
    const sensor = batteries.find(({ stateTopic }) => stateTopic === topic);
    const text = sensor?.value(payload)?.trim() ?? '';
    const level = /^\d{1,3}(\.\d{1,6})?$/.test(text) ? Math.round(Number(text)) : Number.NaN;
    if (!(level <= 100) || level === battery) return [];
    battery = level;
    return [{ kind: 'battery', level }];
  }

  return {
    describe(now, sensors) {
      const isOther = now?.commandTopic !== entity?.commandTopic || now?.stateTopic !== entity?.stateTopic;
      entity = now;
      batteries = sensors;
      available = new Map([...available].filter(([topic]) => now?.availability.some((one) => one.topic === topic)));
      if (available.size === 0) latest = undefined;
      // What it said on another topic is not the answer to a command, and another lock may be behind it now.
      if (isOther) {
        wanted = undefined;
        before = undefined;
        hasHeardState = false;
      }
      const capabilities: Effect = { kind: 'capabilities', changed: { battery: sensors.length > 0 ? 'percent' : 'none' } };
      return now === undefined ? look() : [capabilities, ...look()];
    },

    topics() {
      if (entity === undefined || entity.isOurs || entity.refused !== null) return [];
      return [...entity.availability.map(({ topic }) => topic), entity.stateTopic, ...batteries.map(({ stateTopic }) => stateTopic)];
    },

    hear(topic, payload, isHistory) {
      if (entity === undefined) return [];
      const { availability, stateTopic } = entity;
      const first = availability.some((one) => one.topic === topic) ? heardAvailability(entity, topic, payload) : [];
      const second = topic === stateTopic ? heardState(entity, payload, isHistory) : [];
      return [...first, ...second, ...heardBattery(topic, payload)];
    },

    command({ op }) {
      if (entity === undefined) return { refuse: 'failed', message: 'nothing announces it' };
      if (op !== 'lock' && op !== 'unlock') return { refuse: 'not-supported', message: `discovery has no words for ${op}` };
      wanted = op === 'lock' ? 'locked' : 'unlocked';
      return [{ kind: 'publish', topic: entity.commandTopic, payload: entity.payloads[op] }];
    },
    expire() {
      wanted = undefined;
      return [];
    },
  };
}
