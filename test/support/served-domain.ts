// The real HTTP API over the real domain, with stores in memory and scripted locks.

import type { Caller } from '../../src/domain/accounts/account.ts';
import type { Webauthn } from '../../src/domain/accounts/sign-in-ports.ts';
import { createSignInServices } from '../../src/domain/accounts/sign-in-services.ts';
import { createBackupService } from '../../src/domain/backups/backup-service.ts';
import { nobodyElse } from '../../src/domain/change-wait.ts';
import { createHomeCodeService } from '../../src/domain/home-assistant/home-code-service.ts';
import { endlessLease, type Lease } from '../../src/domain/lease.ts';
import { createFoundDevices } from '../../src/domain/locks/found-devices.ts';
import { createEventStreams } from '../../src/http/events/event-streams.ts';
import type { Forwarding } from '../../src/http/peers/forwarding.ts';
import { createGatewayLinks } from '../../src/http/pipeline/served-page.ts';
import { createHttpServer } from '../../src/http/pipeline/server.ts';
import { createTickBatcher } from '../../src/platform/tick-batcher.ts';
import { createWebauthn } from '../../src/platform/webauthn.ts';
import { callers, createDomain, someCard } from './domain.ts';
import { sampleBridge, sampleHomeAssistant, sampleMakes } from './fake-services.ts';
import { createMemoryCredentials, createMemoryHomeCode, createMemorySignIns } from './memory-stores.ts';
import { createPlainHashing } from './sample-sign-ins.ts';
import { createMemoryArchives, noUpkeep } from './upkeep.ts';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, fatal: () => {} };

/** Listens on a free port; end it by `server.stop()`. */
export async function serveDomain(
  gatewayStatus: () => object,
  options: {
    readonly administratorsNeedPasskey?: boolean;
    readonly webauthn?: Webauthn;
    /** With it, programs for TTLock's cloud are served. */
    readonly clockIsSuspect?: () => boolean;
    readonly lease?: Lease;
    readonly forwarding?: Forwarding;
  } = {},
) {
  const world = await createDomain({ cards: [someCard()] });
  const signIns = createMemorySignIns();
  const credentials = createMemoryCredentials();
  const hashing = createPlainHashing();
  const { services, parts: signInParts } = createSignInServices({
    ...{ clock: world.clock, secrets: world.secrets, events: world.events, accounts: world.accountService, audit: world.audit, hashing },
    stores: { accounts: world.accounts, signIns, signInCredentials: credentials, counters: world.counters, settings: world.settings },
    isFrequent: async (password) => password === 'password123',
    webauthn: createWebauthn(),
    administratorsNeedPasskey: false,
    ...options,
  });
  const eventStreams = createEventStreams({ live: world.live, clock: world.clock, log: silent });
  const bridges = { list: () => [sampleBridge], announced: () => [], announcedAs: () => undefined };
  const server = createHttpServer({
    lease: options.lease ?? endlessLease,
    stallDetector: { requestTime: world.clock.monotonic },
    commandTimeoutMs: 10_000,
    standsIn: () => false,
    changes: nobodyElse,
    forwarding: options.forwarding,
    endpoints: { http: { host: '127.0.0.1', port: 0, webSocket: false } },
    onWebSocket: () => undefined,
    onLock: () => undefined,
    clock: world.clock,
    tickBatcher: createTickBatcher(),
    log: silent,
    locks: world.lockService,
    cards: world.cardService,
    passcodes: world.passcodes,
    records: world.recordService,
    makes: sampleMakes,
    registrations: world.registrationService,
    roles: world.roleService,
    hubs: world.hubService,
    pairing: createFoundDevices({ pairing: world.pairing, bridges, registrations: world.registrationService, emit: world.emit }),
    bridges,
    homeCode: createHomeCodeService({
      ...{ clock: world.clock, secrets: world.secrets, store: createMemoryHomeCode(world.emit), hashing },
    }),
    homeAssistant: () => sampleHomeAssistant,
    accounts: world.accountService,
    signIn: services,
    links: createGatewayLinks({ names: () => ['gateway.local', '127.0.0.1'], listeners: () => server.addresses() }),
    drawQr: (text) => `<svg>${text}</svg>`,
    alarms: world.alarms,
    audit: world.audit,
    board: world.board,
    activity: world.activity,
    groupLock: world.groupLock,
    eventStreams,
    webhooks: world.webhooks,
    ttlockLogins: world.ttlock.ttlockLogins,
    notifications: world.notifications,
    ...world.accessServices,
    upkeep: noUpkeep(createBackupService({ clock: world.clock, audit: world.audit, archives: createMemoryArchives(world.clock.now) })),
    readiness: () => ({ ready: true, parts: {} }),
    gatewayStatus,
    lockProtocol: async () => ({}),
    consoleDirectory: import.meta.dirname,
    apiPageDirectory: import.meta.dirname,
    metrics: undefined,
    ttlock: options.clockIsSuspect && {
      access: world.ttlock.ttlockAccess,
      clockIsSuspect: options.clockIsSuspect,
      doors: { of: () => undefined },
    },
  });
  await server.start();

  async function tokenOf({ username }: Caller, expiresInDays?: number): Promise<string> {
    const expiry = expiresInDays === undefined ? {} : { expiresInDays };
    return (await world.accountService.createToken(callers.admin, { username, name: 'test', ...expiry })).secret;
  }

  const tokens = {
    admin: await tokenOf(callers.admin),
    administrator: await tokenOf(callers.administrator),
    operator: await tokenOf(callers.operator),
  };
  return {
    ...world,
    server,
    eventStreams,
    signIns,
    services,
    signInParts,
    credentials,
    hashing,
    tokens,
    tokenOf,
    origin: `http://127.0.0.1:${server.addresses().http?.port}`,
  };
}
