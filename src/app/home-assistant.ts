// Joins what Home Assistant sees and asks for: the connection to its broker, what is announced of the locks, and its commands.
import { join } from 'node:path';
import type { UnlockAttempts } from '../domain/audit/unlock-attempts.ts';
import type { HomeCodeService } from '../domain/home-assistant/home-code-service.ts';
import type { Drivers } from '../domain/locks/driver.ts';
import type { Part } from '../domain/part.ts';
import type { DoorStates } from '../domain/records/door-states.ts';
import type { HomeAssistantState } from '../http/api/home-assistant-routes.ts';
import { createHomeAnnouncer } from '../integrations/home-assistant/announcer.ts';
import type { OpenHomeBroker } from '../integrations/home-assistant/broker-port.ts';
import { createHomeCommands } from '../integrations/home-assistant/commands.ts';
import { createHomeLife } from '../integrations/home-assistant/life.ts';
import { homeTopics } from '../integrations/home-assistant/topics.ts';
import { createBrokerIdentity } from '../platform/broker-credentials.ts';
import { createOutboundMqtt } from '../platform/mqtt-client.ts';
import type { AuditedServices } from './admin-wiring.ts';
import type { Base } from './base.ts';
import type { BoardServices } from './board-services.ts';
import { type EnabledHome, enabledHome } from './config-home.ts';
import type { Services } from './services.ts';
import { createLinks } from './sign-in.ts';
import type { Storage } from './storage.ts';

interface HomeAssistantOptions {
  readonly base: Base;
  readonly store: Storage['store'];
  readonly services: Services & BoardServices;
  readonly audited: Pick<AuditedServices, 'locks' | 'alarms'>;
  readonly attempts: UnlockAttempts;
  readonly code: HomeCodeService;
  readonly link: Drivers;
  readonly doors: DoorStates;
}

export type HomeAssistant = ReturnType<typeof createHomeAssistant>;

/** No client id of a bridge is made of this name: theirs have no capitals. */
const clientName = 'homeAssistant';
/** After the broker has refused the login or the version: somebody has to change something there first. */
const refusedRetryMs = 300_000;

export function createHomeAssistant(options: HomeAssistantOptions) {
  const { base, store, services } = options;
  const settings = enabledHome(base.config);
  let joined: ReturnType<typeof joinHome> | undefined;
  const refusedCounts = (): Readonly<Record<string, number>> => joined?.life.commands?.refusedCounts() ?? {};
  const part: Part = {
    name: 'home-assistant',
    async start() {
      // Its alarm may be from a time when it was on.
      if (settings === undefined) return services.alarms.clear('home-assistant', null);
      joined = joinHome(options, settings);
      await joined.life.start();
    },
    async stop() {
      await joined?.life.stop();
    },
  };
  return {
    part,
    /** null: it is off, or not started yet. */
    status() {
      if (joined === undefined) return null;
      const { connected, lastError } = joined.life.state();
      const gatewayId = store.maintenance.gatewayId();
      return { connected, gatewayId, locks: joined.life.announcer.announcedLocks(), lastError, refused: refusedCounts() };
    },
    /** HTTP API 8.11. */
    state(): HomeAssistantState {
      const { connected = false, lastError = null } = joined?.life.state() ?? {};
      const last = joined?.life.commands?.lastRefusal();
      return {
        ...{ enabled: settings !== undefined, connected, gatewayId: store.maintenance.gatewayId() },
        ...{ locks: joined?.life.announcer.announcedLocks() ?? 0, lastError, refused: refusedCounts() },
        ...{ account: settings?.account ?? null, commands: settings?.commands ?? false, hasCode: options.code.isSet() },
        lastRefusal: last ? { lockId: last.lockId, reason: last.reason, at: last.at } : null,
      };
    },
    stats() {
      const { connected = false, published = 0 } = joined?.life.state() ?? {};
      return { connected, published, refused: refusedCounts() };
    },
  };
}

/** To be called when the store is open. */
function joinHome({ base, store, services, audited, attempts, code, link, doors }: HomeAssistantOptions, settings: EnabledHome) {
  const { config, clock, log, events, version, nextTurn } = base;
  const { locks, accounts, statuses } = store.ports;
  const { lists, alarms, lastRecords, stallDetector } = services;
  const topics = homeTopics({ ...settings, gatewayId: store.maintenance.gatewayId() });
  const life = createHomeLife({
    ...{ clock, log, random: Math.random, url: settings.url, topics, alarms },
    open: openHomeBroker(base, settings),
    announcer: (broker) =>
      createHomeAnnouncer({
        ...{ clock, nextTurn, broker, events, topics, version, account: settings.account, takesCommands: settings.commands },
        ...{ accounts, locks, lists, statuses, link, alarms, lastRecords, doors, hasCode: code.isSet },
        supportUrl: new URL('/docs', createLinks(base).linkTo('', undefined)).href,
      }),
    commands: settings.commands
      ? (broker, announcer) =>
          createHomeCommands({
            ...{ clock, log, stallDetector, topics, announcer, broker, code, attempts, maxAgeMs: settings.maxAgeMs },
            ...{ locks: audited.locks, alarms: audited.alarms, alarmsOf: alarms.ofLock, clockIsSuspect: store.clockTrust.clockIsSuspect },
            caller() {
              const account = accounts.byName(settings.account);
              return account && { ...account, address: 'home-assistant' };
            },
          })
      : undefined,
    offlineAfterMs: config.alarms.offlineAfterSeconds * 1_000,
  });
  return { life };
}

function openHomeBroker({ clock, config }: Base, settings: EnabledHome): OpenHomeBroker {
  return (statusTopic, events) => {
    const connection = createOutboundMqtt({
      ...{ clock, random: Math.random, url: settings.url, isVersion5Needed: true, refusedRetryMs },
      ...createBrokerIdentity(join(config.dataDir, 'broker-client.id'), clientName, settings),
      will: { topic: statusTopic, payload: 'offline' },
      onUp: events.onUp,
      onDown: events.onDown,
      onMessage: (topic, payload, isRetained) => events.onMessage({ topic, payload, isRetained }),
      onRefused: events.onRefused,
      onAnnounceRefused: events.onPublishRefused,
    });
    return {
      ...connection,
      publish: (topic, payload, { retain, qos }) => connection.announce({ topic, payload, retain, qos }),
      subscribe: (filters, { stored }) => connection.subscribe(filters, stored),
    };
  };
}
