// Follows the stream of live events, and reconnects when it is interrupted.
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { activeAlarms } from './active-alarms.ts';
import type { Client } from './api/client.ts';
import { createEventReader, type StreamEvent } from './api/event-text.ts';
import type { Capabilities } from './api/registration-types.ts';
import type { Alarm, Card, LockRecord } from './api/types.ts';

/** The gateway sends a heartbeat every 15 s; after so long without one the connection is dead. */
const silentForMs = 40_000;
const retryAfterMs = 2_000;

/** A lock as it is now; members that it has never reported are null, and the battery -1. */
export interface LiveLock {
  readonly lockId: number;
  readonly lockAlias: string;
  readonly role: 'operator' | 'manager' | 'administrator';
  readonly online: boolean;
  readonly state: 'locked' | 'unlocked' | null;
  readonly stateDate: number | null;
  /** False: its bolt may have moved since it last reported it. */
  readonly stateSure: boolean;
  readonly electricQuantity: number;
  /** Epoch ms: it is unlocked, and locks itself then; null or absent: it does not, or nobody can say when. */
  readonly autoLockAt?: number | null;
  readonly capabilities: Capabilities;
}

/** Events that are passed on and not stored. */
export type Happening =
  | { readonly type: 'record'; readonly record: LockRecord }
  | { readonly type: 'card'; readonly card: Card }
  /** An entry of a lock is something else now. */
  | { readonly type: 'entry'; readonly lockId: number }
  /** The report about a lost credential is something else now. */
  | { readonly type: 'revocation' }
  /** Locks or roles have changed, or the stream was interrupted: data that was loaded before may be outdated. */
  | { readonly type: 'locks' };

export interface Live {
  /** By lockId; undefined until the beginning is complete. */
  readonly locks: ReadonlySignal<ReadonlyMap<number, LiveLock> | undefined>;
  /** Whether we are a manager of any lock; undefined until that is known. */
  readonly managesAny: ReadonlySignal<boolean | undefined>;
  /** The active alarms that we may see, the newest first. */
  readonly alarms: ReadonlySignal<readonly Alarm[]>;
  readonly connection: ReadonlySignal<'connecting' | 'live' | 'lost'>;
  start(): void;
  stop(): void;
  /** Returns a function that ends the subscription. */
  listen(listener: (happening: Happening) => void): () => void;
}

const sameAlarm = (alarm: Alarm, other: Pick<Alarm, 'kind' | 'lockId'>) => alarm.kind === other.kind && alarm.lockId === other.lockId;

export function createLive(client: Client): Live {
  const locks = signal<ReadonlyMap<number, LiveLock> | undefined>(undefined);
  const received = signal<readonly Alarm[]>([]);
  const alarms = computed(() => activeAlarms(received.value, locks.value));
  const managesAny = computed(() => locks.value && [...locks.value.values()].some(({ role }) => role !== 'operator'));
  const connection = signal<'connecting' | 'live' | 'lost'>('connecting');
  const listeners = new Set<(happening: Happening) => void>();
  let run: AbortController | undefined;
  let lastId = '';

  const tell = (happening: Happening) => {
    for (const listener of listeners) listener(happening);
  };

  /**
   * One connection. The gateway first sends the whole state again; until that is complete the console shows the earlier state. Resolves
   * with true when the gateway ended it.
   */
  async function follow(ended: AbortSignal): Promise<boolean> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), silentForMs);
    try {
      const read = createEventReader();
      const known = new Map<number, LiveLock>();
      let begun: readonly Alarm[] = [];
      let complete = false;
      let othersThere = false;
      const patch = (lockId: number, change: Partial<LiveLock>) => {
        const lock = known.get(lockId);
        if (lock) known.set(lockId, { ...lock, ...change });
      };
      const take = ({ type, data }: StreamEvent) => {
        if (type === '') return;
        const value = JSON.parse(data);
        if (type === 'lock') known.set(value.lockId, value);
        else if (type === 'lock-gone') known.delete(value.lockId);
        else if (type === 'state' || type === 'state-sure' || type === 'battery' || type === 'online') patch(value.lockId, value);
        else if (type === 'alarm') begun = [value, ...begun.filter((alarm) => !sameAlarm(alarm, value))];
        else if (type === 'alarm-ended') begun = begun.filter((alarm) => !sameAlarm(alarm, value));
        else if (type === 'ready') complete = true;
        else if (type === 'record') tell({ type, record: value });
        else if (type === 'card') tell({ type, card: value });
        else if (type === 'entry') tell({ type, lockId: value.lockId });
        else if (type === 'revocation') tell({ type });
        othersThere ||= type === 'lock' || type === 'lock-gone';
      };
      const body = await client.stream(
        'events',
        lastId === '' ? {} : { 'last-event-id': lastId },
        AbortSignal.any([ended, silence.signal]),
      );
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value: piece, done } = await reader.read();
        if (done) return complete;
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), silentForMs);
        for (const event of read(piece)) {
          take(event);
          lastId = event.id ?? lastId;
        }
        if (!complete) continue;
        locks.value = new Map(known);
        if (received.value !== begun) received.value = begun;
        connection.value = 'live';
        if (othersThere) tell({ type: 'locks' });
        othersThere = false;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async function keepFollowing(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      const begun = Date.now();
      const isEndedByGateway = await follow(ended).catch(() => false);
      if (ended.aborted) return;
      // After the gateway ended the stream, the console reconnects at once and learns the reason from the answer, before it shows a
      // problem.
      if (isEndedByGateway && Date.now() - begun > retryAfterMs) continue;
      connection.value = 'lost';
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
    }
  }

  return {
    locks,
    managesAny,
    alarms,
    connection,
    start() {
      run = new AbortController();
      void keepFollowing(run.signal);
    },
    stop() {
      run?.abort();
      lastId = '';
      locks.value = undefined;
      received.value = [];
      connection.value = 'connecting';
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
