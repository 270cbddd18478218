// The life of the connection to the broker of Home Assistant: what is said when it comes, when Home Assistant starts, and when it goes. Its loss holds
// up nobody: what could not be said is forgotten, and everything is said anew at the next connection.
import type { AlarmService } from '../../domain/alarms/alarm-service.ts';
import type { Clock } from '../../domain/clock.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { Log, Part } from '../../domain/part.ts';
import { createRateLimitedLog } from '../../domain/rate-limited-log.ts';
import { RateLimiter } from '../../domain/rate-limiter.ts';
import type { HomeBroker, HomeBrokerEvents, HomeMessage, OpenHomeBroker } from './broker-port.ts';
import { createOwnConfigs } from './own-configs.ts';
import type { HomeTopics } from './topics.ts';

/** Many gateways do not answer the birth of one Home Assistant at the same moment. */
const answersBirth = { afterMs: 1_000, spreadMs: 4_000, everyMs: 30_000 };
/** On one topic: whoever says more is broken or hostile, and takes nothing from the other locks. */
const commandRate = { perSecond: 100, burst: 2_000 };
const alarm = 'home-assistant';

/** What is said of the locks. Its promises never reject. */
interface Announcer {
  /** Says everything: discovery, then states, then that the gateway is online. */
  connected(): Promise<void>;
  /** Says everything again: Home Assistant has started. */
  born(): Promise<void>;
  disconnected(): void;
  stop(): void;
  /** undefined: Home Assistant is to see nothing of this lock. */
  says(lockId: LockId): object | undefined;
}

/** What Home Assistant asks for. */
interface Commands {
  onMessage(message: HomeMessage): void;
  filters(): readonly string[];
}

export interface HomeLifeState {
  readonly connected: boolean;
  /** Why it is not connected, or what the broker refuses; null: all is well, or it has not been tried yet. */
  readonly lastError: string | null;
  /** Messages since the start. */
  readonly published: number;
}

export interface HomeLife<A extends Announcer, C extends Commands> extends Part {
  readonly announcer: A;
  /** undefined: Home Assistant may only look. */
  readonly commands: C | undefined;
  state(): HomeLifeState;
}

export interface HomeLifeOptions<A extends Announcer, C extends Commands> {
  readonly clock: Clock;
  readonly log: Log;
  /** 0 to below 1. */
  readonly random: () => number;
  /** Of the broker, for the log. */
  readonly url: string;
  readonly topics: HomeTopics;
  readonly open: OpenHomeBroker;
  readonly announcer: (broker: HomeBroker) => A;
  readonly commands: ((broker: HomeBroker, announcer: A) => C) | undefined;
  readonly alarms: Pick<AlarmService, 'raise' | 'amend' | 'clear'>;
  /** So long without the broker is an alarm; a refusal is one at once. */
  readonly offlineAfterMs: number;
}

export function createHomeLife<A extends Announcer, C extends Commands>(options: HomeLifeOptions<A, C>): HomeLife<A, C> {
  const { clock, log, topics, url } = options;
  const limited = createRateLimitedLog({ clock, log });
  /** By topic; of locks that are not announced there is one for all. */
  const rates = new Map<string, RateLimiter>();
  const absence = createAbsence(options);
  let lastError: string | null = null;
  let published = 0;

  const events: HomeBrokerEvents = {
    onUp() {
      lastError = null;
      absence.ended();
      log.info({ code: 'home-assistant-connected', url }, 'connected to the broker of Home Assistant');
      broker.subscribe([topics.birth, topics.status, ...(commands?.filters() ?? [])], { stored: 'never' });
      void announcer.connected();
      ownConfigs.look();
    },
    onDown(reason, isRefusal) {
      ownConfigs.stop();
      births.stop();
      announcer.disconnected();
      if (reason !== lastError) log.warn({ code: 'home-assistant-away', url, reason }, 'the broker of Home Assistant is not connected');
      lastError = reason;
      absence.goesOn(reason, isRefusal);
    },
    onMessage(message) {
      if (message.topic === topics.birth) {
        if (message.payload.equals(online)) births.heard();
      } else if (message.topic === topics.status) {
        // The gateway that this one was restored from has ended: its last word is not ours.
        if (!message.payload.equals(online)) births.heard();
      } else if (!ownConfigs.heard(message)) {
        if (rateOf(message.topic).take()) commands?.onMessage(message);
        else limited.warn('flood', { code: 'home-assistant-flooded', topic: message.topic.slice(0, 100) }, flooded);
      }
    },
    onRefused(filters) {
      refused(`it does not let the gateway subscribe to ${filters.join(', ')}`, { filters });
    },
    onPublishRefused(topic, reason) {
      refused(`it does not take what is published to ${topic}: ${reason}`, { topic, reason });
    },
  };
  function rateOf(topic: string): RateLimiter {
    const lockId = topics.commandOf(topic)?.lockId;
    const key = lockId !== undefined && announcer.says(lockId) !== undefined ? topic : '';
    const rate = rates.get(key) ?? new RateLimiter({ clock, ...commandRate });
    rates.set(key, rate);
    return rate;
  }
  function refused(sentence: string, fields: object): void {
    lastError = sentence;
    const message = 'the broker of Home Assistant refuses something to this login';
    limited.warn('refused', { code: 'home-assistant-denied', url, ...fields }, message);
  }

  const link = options.open(topics.status, events);
  const broker: HomeBroker = {
    ...link,
    publish(...publication) {
      const isSent = link.publish(...publication);
      if (isSent) published += 1;
      return isSent;
    },
  };
  const announcer = options.announcer(broker);
  const commands = options.commands?.(broker, announcer);
  const ownConfigs = createOwnConfigs({ clock, topics, broker, isAnnounced: (lockId) => announcer.says(lockId) !== undefined });
  const births = createBirths(options, () => void announcer.born());

  return {
    name: 'home-assistant',
    announcer,
    commands,
    state: () => ({ connected: link.isUp(), lastError, published }),
    async start() {
      absence.goesOn('it has not answered yet', false);
      link.start();
    },
    async stop() {
      absence.stop();
      births.stop();
      ownConfigs.stop();
      announcer.stop();
      await link.stop();
    },
  };
}

const flooded = 'more commands come over the broker of Home Assistant than are looked at';
const online = Buffer.from('online');

/** Answers births of Home Assistant: each a moment later, and not all of a Home Assistant that starts again and again. */
function createBirths({ clock, random }: Pick<HomeLifeOptions<Announcer, Commands>, 'clock' | 'random'>, answer: () => void) {
  let answeredAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  return {
    heard(): void {
      const soonMs = answersBirth.afterMs + random() * answersBirth.spreadMs;
      const allowedMs = answeredAt + answersBirth.everyMs - clock.monotonic();
      cancel ??= clock.timer(Math.max(soonMs, allowedMs), () => {
        cancel = undefined;
        answeredAt = clock.monotonic();
        answer();
      });
    },
    stop(): void {
      cancel?.();
      cancel = undefined;
    },
  };
}

/** Begins the alarm when the broker is away for long, or at once when it refuses us; ends it when the broker is there. */
function createAbsence({
  clock,
  alarms,
  offlineAfterMs,
}: Pick<HomeLifeOptions<Announcer, Commands>, 'clock' | 'alarms' | 'offlineAfterMs'>) {
  let cancel: (() => void) | undefined;
  let isAway = false;
  let reason = '';
  const say = () => `the broker of Home Assistant: ${reason}`;
  return {
    goesOn(why: string, isRefusal: boolean): void {
      reason = why;
      if (isRefusal) {
        alarms.raise(alarm, null, { reason: say() });
        alarms.amend(alarm, null, say());
      }
      if (isAway) return;
      isAway = true;
      cancel = clock.timer(offlineAfterMs, () => alarms.raise(alarm, null, { reason: say() }));
    },
    ended(): void {
      isAway = false;
      cancel?.();
      alarms.clear(alarm, null);
    },
    stop(): void {
      cancel?.();
    },
  };
}
