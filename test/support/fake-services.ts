// The domain's services as plain objects of functions: each test replaces the ones it is about. No framework.

import { join } from 'node:path';
import { z } from 'zod';
import type { AccessQuestions } from '../../src/domain/access/questions.ts';
import type { AccountId, Caller } from '../../src/domain/accounts/account.ts';
import type { AccountService } from '../../src/domain/accounts/account-service.ts';
import type { HandoverService } from '../../src/domain/accounts/handover-service.ts';
import type { InvitationService } from '../../src/domain/accounts/invitation-service.ts';
import type { PasskeyService } from '../../src/domain/accounts/passkey-service.ts';
import type { PasswordService } from '../../src/domain/accounts/password-service.ts';
import type { RoleService } from '../../src/domain/accounts/role-service.ts';
import type { SignInService } from '../../src/domain/accounts/sign-in-service.ts';
import type { ActivityService } from '../../src/domain/activity/activity-service.ts';
import type { AlarmService } from '../../src/domain/alarms/alarm-service.ts';
import type { AuditService } from '../../src/domain/audit/audit.ts';
import type { BackupService } from '../../src/domain/backups/backup-service.ts';
import type { BoardService } from '../../src/domain/board/board-service.ts';
import type { GroupLockService } from '../../src/domain/board/group-lock.ts';
import type { CancelSignal } from '../../src/domain/cancel-signal.ts';
import { type ChangeWait, nobodyElse } from '../../src/domain/change-wait.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { Card, CardId } from '../../src/domain/credentials/card.ts';
import type { CardService } from '../../src/domain/credentials/card-service.ts';
import type { EntryService } from '../../src/domain/credentials/entry-service.ts';
import type { Passcode } from '../../src/domain/credentials/passcode.ts';
import type { PasscodeService } from '../../src/domain/credentials/passcode-service.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { LiveService } from '../../src/domain/events/live-service.ts';
import type { HomeCodeService } from '../../src/domain/home-assistant/home-code-service.ts';
import { endlessLease, type Lease } from '../../src/domain/lease.ts';
import type { AnnouncedDevice, BridgeStatus, Bridges } from '../../src/domain/locks/bridges.ts';
import type { Capabilities } from '../../src/domain/locks/capabilities.ts';
import type { FoundDevices } from '../../src/domain/locks/found-devices.ts';
import type { HubService } from '../../src/domain/locks/hub.ts';
import { nativeDriver } from '../../src/domain/locks/hub.ts';
import { type DeviceId, type Lock, type LockId, type LockStatus, unknownStatus } from '../../src/domain/locks/lock.ts';
import type { LockService, LockView } from '../../src/domain/locks/lock-service.ts';
import type { RegistrationService } from '../../src/domain/locks/registration-service.ts';
import type { NotificationService } from '../../src/domain/notifications/notification-service.ts';
import { paginate } from '../../src/domain/page.ts';
import type { Log } from '../../src/domain/part.ts';
import type { GrantService } from '../../src/domain/people/grant-service.ts';
import type { ImportService } from '../../src/domain/people/import-service.ts';
import type { PeopleService } from '../../src/domain/people/people-service.ts';
import type { ScheduleService } from '../../src/domain/people/schedule-service.ts';
import type { EnrolmentService } from '../../src/domain/readers/enrolment-service.ts';
import type { SuggestionService } from '../../src/domain/readers/suggestion-service.ts';
import type { LockRecord } from '../../src/domain/records/record.ts';
import type { RecordService } from '../../src/domain/records/record-service.ts';
import type { RevocationService } from '../../src/domain/revocations/revocation-service.ts';
import type { TtlockLoginService } from '../../src/domain/ttlock/ttlock-login-service.ts';
import type { WebhookService } from '../../src/domain/webhooks/webhook-service.ts';
import type { LockMake } from '../../src/http/api/driver-member.ts';
import type { Readiness } from '../../src/http/api/health-routes.ts';
import type { HomeAssistantState } from '../../src/http/api/home-assistant-routes.ts';
import type { Upkeep } from '../../src/http/api/upkeep-routes.ts';
import { createEventStreams } from '../../src/http/events/event-streams.ts';
import type { GatewayLinks } from '../../src/http/pipeline/served-page.ts';
import { createHttpServer } from '../../src/http/pipeline/server.ts';
import { createTickBatcher } from '../../src/platform/tick-batcher.ts';

/** Whether this is what tells a service that nobody waits any more. */
/** As the document shows it. */
export const sampleHomeAssistant: HomeAssistantState = {
  ...{ enabled: true, connected: true, gatewayId: '3f9c0a17', locks: 12, lastError: null, refused: { late: 2 } },
  ...{ account: 'home-assistant', commands: true, hasCode: false, lastRefusal: { lockId: 7, reason: 'late', at: 1_763_715_600_000 } },
};

export function isGone(value: unknown): value is CancelSignal {
  return typeof value === 'object' && value !== null && 'aborted' in value;
}

type Open<T> = { -readonly [Key in keyof T]: T[Key] };

export const sampleCaller: Caller = { accountId: 3 as AccountId, username: 'alice', gatewayAdministrator: true, accessManager: true };
export const sampleToken = 'sample-token-of-alice';

export const sampleLock: Lock = {
  lockId: 7 as LockId,
  deviceId: 'a4c1387f02e9' as DeviceId,
  name: 'Front door',
  alias: 'Entrance',
  superPasscode: '20261121',
  lockData: 'opaque-bluetooth-keys',
  groupId: 2,
  groupName: 'Ground floor',
  timezoneOffsetMs: 3_600_000,
  featureValue: 'F44354CD5F3',
  modelNum: 'SN280',
  hardwareRevision: '1.3',
  firmwareRevision: '6.0.12',
  autoLockSeconds: 5,
  settings: { lockSound: 1, privacyLock: 2, tamperAlert: 1, resetButton: 2, openDirection: 1, passageMode: 2, passageModeAutoUnlock: 1 },
  initialisedAt: 1_700_000_000_000,
  administrator: sampleCaller.accountId,
  roles: [],
  driver: nativeDriver('a4c1387f02e9' as DeviceId, null, 'ab'.repeat(32)),
};

export const sampleStatus: LockStatus = {
  state: 'locked',
  stateAt: 1_763_715_600_000,
  batteryPercent: 83,
  lastSeenAt: 1_763_715_660_000,
  cardsOnLock: 3,
};

export const sampleView: LockView = { lock: sampleLock, status: sampleStatus, callerIsAdministrator: true };

export const sampleBridge: BridgeStatus = {
  ...{ name: 'house', url: 'mqtts://broker.example.org:8883', connected: true, since: 1_763_715_700_000, reason: '', locks: 2 },
  drivers: [{ kind: 'zigbee2mqtt', settings: { base: 'zigbee2mqtt' }, online: true }],
  admitsStrangers: null,
};

/** A lock that a bridge announces. */
export const announcedDevice: AnnouncedDevice = {
  deviceId: '02e70059d86b' as DeviceId,
  driver: { kind: 'zigbee2mqtt', bridge: 'house', ieee: '0x000d6f0012bc896e' },
  ...{ address: 'house: zigbee2mqtt/Front Door', name: 'Front Door', make: 'Yale', model: 'YRD226HA2619' },
  ...{ since: 1_763_715_650_000, connected: true, refused: null },
};

/** Two makes of lock, which say nothing to anybody. */
export const sampleMakes: readonly LockMake[] = [
  {
    kind: 'knob',
    schema: z.strictObject({
      kind: z.literal('knob'),
      serial: z
        .string('must be 4 digits')
        .regex(/^\d{4}$/, 'must be 4 digits')
        .describe('What is printed on it.'),
      turns: z.int('must be 1 or 2').min(1, 'must be 1 or 2').max(2, 'must be 1 or 2').default(2).describe('How often it turns.'),
    }),
  },
  {
    kind: 'latch',
    schema: z.strictObject({ kind: z.literal('latch'), bridge: z.string('must be a text').describe('Over which bridge.') }),
  },
];

export const sampleCapabilities: Capabilities = {
  ...{ success: 'bolt', late: 'never', refusals: 'named', matched: true, query: true },
  ...{ events: 'exactly-once', who: 'name', wrongCodes: true },
  ...{
    cards: true,
    passcodes: false,
    hours: false,
    once: false,
    autoLock: true,
    settings: true,
    battery: 'percent',
    encrypted: true,
    warnings: [],
  },
};

/** A lock that has never said anything, seen by someone who is not its administrator. */
const silentView: LockView = {
  lock: { ...sampleLock, lockId: 8 as LockId, deviceId: 'a4c1387f02ea' as DeviceId, groupId: 0, groupName: '' },
  status: unknownStatus,
  callerIsAdministrator: false,
};

export const samplePasscode: Passcode = {
  passcodeId: 52 as CardId,
  lockId: sampleLock.lockId,
  code: '482913',
  ...{ name: '', type: 'permanent', startDate: 0, endDate: 0, isCustom: false },
  createdAt: 1_762_999_000_000,
  createdBy: 'alice',
};

export const sampleCard: Card = {
  cardId: 41 as CardId,
  lockId: sampleLock.lockId,
  cardNumber: '3123119183',
  name: 'Spare card',
  startDate: 1_763_000_000_000,
  endDate: 1_793_000_000_000,
  createdAt: 1_762_999_000_000,
  createdBy: 'alice',
};

export const sampleRecord: LockRecord = {
  recordId: 1201,
  lockId: sampleLock.lockId,
  epoch: 'e1',
  seq: 12,
  type: 'card-unlock',
  success: true,
  credential: '3123119183',
  username: 'Spare card',
  lockDate: 1_763_715_500_000,
  serverDate: 1_763_715_501_000,
};

function unexpected(name: string): never {
  throw new Error(`the test did not expect a call of ${name}`);
}

export interface FakeServices {
  readonly locks: Open<LockService>;
  readonly cards: Open<CardService>;
  readonly passcodes: Open<PasscodeService>;
  readonly records: Open<RecordService>;
  readonly registrations: Open<RegistrationService>;
  readonly roles: Open<RoleService>;
  readonly hubs: Open<HubService>;
  readonly pairing: Open<FoundDevices>;
  readonly bridges: Open<Pick<Bridges, 'list'>>;
  readonly homeCode: Open<Pick<HomeCodeService, 'set' | 'remove'>>;
  readonly homeAssistant: () => HomeAssistantState;
  readonly alarms: Open<Pick<AlarmService, 'list' | 'end'>>;
  readonly audit: Open<AuditService>;
  readonly accounts: Open<AccountService>;
  readonly signIns: Open<SignInService>;
  readonly passwords: Open<PasswordService>;
  readonly invitations: Open<InvitationService>;
  readonly handovers: Open<HandoverService>;
  readonly passkeys: Open<PasskeyService>;
  readonly live: Open<LiveService>;
  readonly webhooks: Open<WebhookService>;
  readonly ttlockLogins: Open<TtlockLoginService>;
  readonly notifications: Open<NotificationService>;
  readonly imports: Open<ImportService>;
  readonly revocations: Open<RevocationService>;
  readonly suggestions: Open<SuggestionService>;
  readonly enrolments: Open<EnrolmentService>;
  readonly questions: Open<AccessQuestions>;
  readonly board: Open<BoardService>;
  readonly activity: Open<ActivityService>;
  readonly groupLock: Open<GroupLockService>;
  readonly upkeep: Open<Upkeep> & { readonly backups: Open<BackupService> };
  readonly entries: Open<EntryService>;
  readonly people: Open<PeopleService>;
  readonly grants: Open<GrantService>;
  readonly schedules: Open<ScheduleService>;
}

/** Services that know one account by its token, and refuse every other call until a test says what it does. */
function createFakeServices(): FakeServices {
  return {
    locks: {
      list: (_caller, page) => paginate([sampleView, silentView], page),
      get: () => unexpected('get'),
      state: () => unexpected('state'),
      battery: () => unexpected('battery'),
      batteryHistory: () => unexpected('batteryHistory'),
      setBolt: async () => unexpected('setBolt'),
      setAutoLock: async () => unexpected('setAutoLock'),
      detail: () => unexpected('detail'),
      rename: async () => unexpected('rename'),
      changeSettings: async () => unexpected('changeSettings'),
    },
    passcodes: {
      list: () => unexpected('passcodes.list'),
      listWithCodes: () => unexpected('passcodes.listWithCodes'),
      detail: () => unexpected('passcodes.detail'),
      add: async () => unexpected('passcodes.add'),
      change: async () => unexpected('passcodes.change'),
      rename: async () => unexpected('passcodes.rename'),
      remove: async () => unexpected('passcodes.remove'),
    },
    cards: {
      stats: () => unexpected('cards.stats'),
      list: () => unexpected('cards.list'),
      detail: () => unexpected('cards.detail'),
      add: async () => unexpected('cards.add'),
      changeValidity: async () => unexpected('cards.changeValidity'),
      rename: async () => unexpected('cards.rename'),
      remove: async () => unexpected('cards.remove'),
      onLock: async () => unexpected('cards.onLock'),
      beforeRemoval: async () => unexpected('cards.beforeRemoval'),
    },
    records: { page: async () => unexpected('records.page') },
    registrations: {
      register: async () => unexpected('register'),
      managed: async () => unexpected('managed'),
      change: async () => unexpected('change'),
      remove: async () => unexpected('remove'),
      removed: () => unexpected('removed'),
      renewKey: async () => unexpected('renewKey'),
      adopt: async () => unexpected('adopt'),
      replaceKey: async () => unexpected('replaceKey'),
    },
    roles: {
      appoint: async () => unexpected('appoint'),
      list: () => unexpected('roles.list'),
      grant: async () => unexpected('grant'),
      revoke: async () => unexpected('revoke'),
    },
    hubs: {
      find: () => unexpected('hubs.find'),
      register: async () => unexpected('hubs.register'),
      list: () => unexpected('hubs.list'),
      remove: async () => unexpected('hubs.remove'),
      renewKey: async () => unexpected('hubs.renewKey'),
    },
    bridges: { list: () => [sampleBridge] },
    homeAssistant: () => sampleHomeAssistant,
    homeCode: { set: async () => unexpected('homeCode.set'), remove: async () => unexpected('homeCode.remove') },
    pairing: {
      open: async () => unexpected('pairing.open'),
      close: async () => unexpected('pairing.close'),
      devices: () => unexpected('pairing.devices'),
      confirm: async () => unexpected('pairing.confirm'),
      isOpen: () => unexpected('pairing.isOpen'),
      closesAt: () => unexpected('pairing.closesAt'),
      pending: () => unexpected('pairing.pending'),
      stop: () => unexpected('pairing.stop'),
    },
    notifications: {
      get: () => unexpected('notifications.get'),
      change: async () => unexpected('notifications.change'),
      confirm: async () => unexpected('notifications.confirm'),
      test: async () => unexpected('notifications.test'),
      endOf: async () => unexpected('notifications.endOf'),
      failures: () => unexpected('notifications.failures'),
    },
    ttlockLogins: {
      create: async () => unexpected('ttlockLogins.create'),
      list: () => unexpected('ttlockLogins.list'),
      change: async () => unexpected('ttlockLogins.change'),
      renewPassword: async () => unexpected('ttlockLogins.renewPassword'),
      remove: async () => unexpected('ttlockLogins.remove'),
    },
    webhooks: {
      create: async () => unexpected('webhooks.create'),
      list: () => unexpected('webhooks.list'),
      change: async () => unexpected('webhooks.change'),
      remove: async () => unexpected('webhooks.remove'),
      renewSecret: async () => unexpected('webhooks.renewSecret'),
      test: async () => unexpected('webhooks.test'),
      deliveries: () => unexpected('webhooks.deliveries'),
      replay: async () => unexpected('webhooks.replay'),
    },
    people: {
      create: async () => unexpected('people.create'),
      list: () => unexpected('people.list'),
      get: () => unexpected('people.get'),
      change: async () => unexpected('people.change'),
      putExternal: async () => unexpected('people.putExternal'),
      remove: async () => unexpected('people.remove'),
      addCredential: async () => unexpected('people.addCredential'),
      removeCredential: async () => unexpected('people.removeCredential'),
    },
    grants: {
      add: async () => unexpected('grants.add'),
      list: () => unexpected('grants.list'),
      get: async () => unexpected('grants.get'),
      change: async () => unexpected('grants.change'),
      end: async () => unexpected('grants.end'),
      exclude: async () => unexpected('grants.exclude'),
      adopt: async () => unexpected('grants.adopt'),
    },
    schedules: {
      list: () => unexpected('schedules.list'),
      create: async () => unexpected('schedules.create'),
      change: async () => unexpected('schedules.change'),
      remove: async () => unexpected('schedules.remove'),
      holidays: () => unexpected('schedules.holidays'),
      setHolidays: async () => unexpected('schedules.setHolidays'),
    },
    audit: { page: async () => unexpected('audit.page') },
    imports: {
      dryRun: async () => unexpected('imports.dryRun'),
      apply: async () => unexpected('imports.apply'),
      progress: () => unexpected('imports.progress'),
      exportPeople: async () => unexpected('imports.exportPeople'),
    },
    revocations: {
      lost: async () => unexpected('revocations.lost'),
      lostCard: async () => unexpected('revocations.lostCard'),
      found: async () => unexpected('revocations.found'),
      foundCard: async () => unexpected('revocations.foundCard'),
      ofCredential: async () => unexpected('revocations.ofCredential'),
      report: async () => unexpected('revocations.report'),
    },
    entries: {
      list: async () => unexpected('entries.list'),
      check: async () => unexpected('entries.check'),
      decide: async () => unexpected('entries.decide'),
      compare: async () => unexpected('entries.compare'),
      resume: async () => unexpected('entries.resume'),
    },
    suggestions: { list: async () => unexpected('suggestions.list'), accept: async () => unexpected('suggestions.accept') },
    enrolments: {
      begin: async () => unexpected('enrolments.begin'),
      get: () => unexpected('enrolments.get'),
      confirm: async () => unexpected('enrolments.confirm'),
      end: async () => unexpected('enrolments.end'),
    },
    questions: {
      who: async () => unexpected('questions.who'),
      where: async () => unexpected('questions.where'),
      records: async () => unexpected('questions.records'),
      completeness: async () => unexpected('questions.completeness'),
    },
    board: {
      version: () => unexpected('board.version'),
      board: async () => unexpected('board.board'),
      orderGroups: async () => unexpected('board.orderGroups'),
      chooseFavourites: async () => unexpected('board.chooseFavourites'),
    },
    activity: { page: async () => unexpected('activity.page') },
    groupLock: { lockGroup: async () => unexpected('lockGroup') },
    upkeep: {
      backups: {
        begin: () => unexpected('backups.begin'),
        list: async () => unexpected('backups.list'),
        download: () => unexpected('backups.download'),
      },
      warnings: () => unexpected('warnings'),
      authority: async () => unexpected('authority'),
      names: () => unexpected('names'),
      isService: false,
    },
    alarms: { list: () => unexpected('alarms.list'), end: async () => unexpected('alarms.end') },
    live: {
      subscribe: () => unexpected('live.subscribe'),
      locksOf: () => unexpected('live.locksOf'),
      alarmsOf: () => unexpected('live.alarmsOf'),
      inSight: () => unexpected('live.inSight'),
      mayHear: () => unexpected('live.mayHear'),
      isHeard: () => unexpected('live.isHeard'),
      newestRecord: () => unexpected('live.newestRecord'),
      recordsSince: () => unexpected('live.recordsSince'),
    },
    accounts: {
      authenticate(token) {
        if (token === sampleToken) return { ...sampleCaller, tokenId: 1 };
        throw new DomainError('token-invalid', 'the access token is not valid');
      },
      callerOf: () => unexpected('callerOf'),
      createAccount: async () => unexpected('createAccount'),
      setRights: async () => unexpected('setRights'),
      listAccounts: async () => unexpected('listAccounts'),
      removeAccount: async () => unexpected('removeAccount'),
      createToken: async () => unexpected('createToken'),
      listTokens: async () => unexpected('listTokens'),
      callerWith: () => unexpected('callerWith'),
      removeToken: async () => unexpected('removeToken'),
      forgetExpired: async () => unexpected('forgetExpired'),
    },
    signIns: {
      signIn: async () => unexpected('signIn'),
      authenticate: () => unexpected('signIns.authenticate'),
      signOut: async () => unexpected('signOut'),
      list: () => unexpected('signIns.list'),
      end: async () => unexpected('signIns.end'),
      endOthers: async () => unexpected('endOthers'),
      of: () => undefined,
      endAll: async () => unexpected('endAll'),
    },
    passwords: {
      signIn: async () => unexpected('passwords.signIn'),
      change: async () => unexpected('passwords.change'),
      reset: async () => unexpected('reset'),
      choose: async () => unexpected('choose'),
    },
    invitations: {
      look: () => unexpected('look'),
      invite: async () => unexpected('invite'),
      accept: async () => unexpected('accept'),
    },
    handovers: {
      make: () => unexpected('handovers.make'),
      state: () => unexpected('handovers.state'),
      confirm: async () => unexpected('handovers.confirm'),
      cancel: () => unexpected('handovers.cancel'),
      claim: () => unexpected('claim'),
      take: async () => unexpected('take'),
    },
    passkeys: {
      list: () => unexpected('passkeys.list'),
      creationOptions: async () => unexpected('creationOptions'),
      add: async () => unexpected('passkeys.add'),
      remove: async () => unexpected('passkeys.remove'),
      signInOptions: async () => unexpected('signInOptions'),
      signIn: async () => unexpected('passkeys.signIn'),
    },
  };
}

export interface SettableClock extends Clock {
  /** Moves both clocks on and fires what is due. */
  advance(ms: number): void;
}

/** Time stands still until a test moves it. */
export function createSettableClock(start = 1_763_715_700_000): SettableClock {
  let elapsed = 0;
  const timers = new Set<{ at: number; action: () => void }>();
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    timer(delayMs, action) {
      const timer = { at: elapsed + delayMs, action };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      elapsed += ms;
      for (const timer of [...timers].filter(({ at }) => at <= elapsed)) {
        timers.delete(timer);
        timer.action();
      }
    },
  };
}

export interface LogLine {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** A log that keeps its lines. */
function createKeptLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: fields as Record<string, unknown>, message });
  };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error'), fatal: keep('fatal') };
}

/** What a server needs of them to sign people in, at a gateway with a name. */
export function signInOf({ signIns, passwords, invitations, handovers, passkeys }: FakeServices) {
  const links: GatewayLinks = {
    siteOf: () => ({ host: 'gateway.local', origin: 'https://gateway.local:8443' }),
    linkTo: (fragment) => `https://gateway.local:8443/#/${fragment}`,
    originFor: () => 'https://gateway.local:8443',
  };
  const held = { password: () => undefined, passkeys: () => [] };
  const signIn = { signIns, passwords, invitations, handovers, passkeys, held, inviterOf: () => 'admin' };
  return { signIn, links, drawQr: () => '<svg/>' };
}

/** A server on a free port over fakes, with everything a test may want to turn. Stop it in `afterEach`. */
export function createServerUnderTest(
  ready: () => Readiness = () => ({ ready: true, parts: {} }),
  onWebSocket?: Parameters<typeof createHttpServer>[0]['onWebSocket'],
  metrics?: Parameters<typeof createHttpServer>[0]['metrics'],
  consoleDirectory = join(import.meta.dirname, 'no-console'),
  hosts: readonly string[] = [],
  isProxy?: (address: string) => boolean,
  lease: Lease = endlessLease,
  changes: ChangeWait = nobodyElse,
  standsIn: () => boolean = () => false,
) {
  const services = createFakeServices();
  const clock = createSettableClock();
  const log = createKeptLog();
  const update = { state: 'available', version: '0.2.0', reason: null, askedDate: 1_763_715_600_000, lookedDate: 1_763_690_400_000 };
  const gatewayStatus = () => ({
    version: '0.1.0',
    update,
    uptimeSeconds: 100,
    locks: 2,
    online: 1,
    pairingOpen: false,
    pendingDevices: 0,
  });
  const eventStreams = createEventStreams({ live: services.live, clock, log });
  const endpoints = { http: { host: '127.0.0.1', port: 0, webSocket: onWebSocket !== undefined } };
  const webSocket = { onWebSocket: onWebSocket ?? (() => undefined) };
  const server = createHttpServer({
    lease,
    stallDetector: { requestTime: clock.monotonic },
    commandTimeoutMs: 10_000,
    standsIn,
    changes,
    endpoints,
    hosts,
    ...(isProxy && { isProxy }),
    ...webSocket,
    onLock: () => undefined,
    clock,
    tickBatcher: createTickBatcher(),
    log,
    ...services,
    ...signInOf(services),
    makes: sampleMakes,
    eventStreams,
    readiness: ready,
    gatewayStatus,
    lockProtocol: async () => ({ asyncapi: '3.0.0' }),
    consoleDirectory,
    apiPageDirectory: join(import.meta.dirname, '../../dist/docs'),
    metrics,
    ttlock: undefined,
  });
  const port = () => server.addresses().http?.port ?? 0;
  return { ...services, eventStreams, clock, log, server, port, origin: () => `http://127.0.0.1:${port()}` };
}
