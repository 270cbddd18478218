// The real HTTP API over the real domain, with stores in memory and scripted locks.
import type { Caller } from '../../src/domain/accounts/account.ts';
import { createSignInService } from '../../src/domain/accounts/sign-in-service.ts';
import { createFoundDevices } from '../../src/domain/locks/found-devices.ts';
import { createEventStreams } from '../../src/http/events/event-streams.ts';
import { createHttpServer } from '../../src/http/pipeline/server.ts';
import { createTickBatcher } from '../../src/platform/tick-batcher.ts';
import { callers, createDomain, someCard } from './domain.ts';
import { sampleBridge, sampleMakes } from './fake-services.ts';
import { createMemorySignIns } from './memory-stores.ts';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, fatal: () => {} };

/** Listens on a free port; end it by `server.stop()`. */
export async function serveDomain(gatewayStatus: () => object) {
  const world = await createDomain({ cards: [someCard()] });
  const signIns = createMemorySignIns();
  const eventStreams = createEventStreams({ live: world.live, clock: world.clock, log: silent });
  const bridges = { list: () => [sampleBridge], announced: () => [], announcedAs: () => undefined };
  const server = createHttpServer({
    endpoints: { http: { host: '127.0.0.1', port: 0, webSocket: false } },
    onWebSocket: () => undefined,
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
    accounts: world.accountService,
    signIns: createSignInService({
      ...{ clock: world.clock, secrets: world.secrets, accounts: world.accountService, audit: world.audit, events: world.events },
      store: signIns,
    }),
    alarms: world.alarms,
    audit: world.audit,
    board: world.board,
    groupLock: world.groupLock,
    eventStreams,
    webhooks: world.webhooks,
    ...world.accessServices,
    readiness: () => ({ ready: true, parts: {} }),
    gatewayStatus,
    lockProtocol: async () => ({}),
    consoleDirectory: import.meta.dirname,
    metrics: undefined,
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
  return { ...world, server, eventStreams, signIns, tokens, tokenOf, origin: `http://127.0.0.1:${server.addresses().http?.port}` };
}
