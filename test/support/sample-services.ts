// Services that answer each call with the samples of test/wire/http, and write down what they were asked.
import { expect } from '@jest/globals';
import type { OnLock } from '../../src/domain/access/questions.ts';
import type { Account, ApiToken } from '../../src/domain/accounts/account.ts';
import type { HandoverView } from '../../src/domain/accounts/handover-service.ts';
import type { Passkey } from '../../src/domain/accounts/sign-in.ts';
import type { SignInView } from '../../src/domain/accounts/sign-in-service.ts';
import type { Alarm } from '../../src/domain/alarms/alarm.ts';
import type { AuditEntry } from '../../src/domain/audit/audit-action.ts';
import type { CardId } from '../../src/domain/credentials/card.ts';
import type { Entry } from '../../src/domain/credentials/entry.ts';
import type { DeviceId, LockId } from '../../src/domain/locks/lock.ts';
import type { FailureView, NotificationsView } from '../../src/domain/notifications/notification-views.ts';
import { paginate } from '../../src/domain/page.ts';
import type { CredentialId, PersonId } from '../../src/domain/people/person.ts';
import type { Suggestion } from '../../src/domain/readers/suggestion.ts';
import type { Revocation, RevocationId, RevocationReport } from '../../src/domain/revocations/revocation.ts';
import type { DeliveryLogEntry } from '../../src/domain/webhooks/delivery.ts';
import type { WebhookId } from '../../src/domain/webhooks/webhook.ts';
import type { WebhookView } from '../../src/domain/webhooks/webhook-service.ts';
import { answerAboutBoard } from './board-answers.ts';
import {
  announcedDevice,
  type FakeServices,
  isGone,
  sampleCaller,
  sampleCapabilities,
  sampleCard,
  sampleLock,
  samplePasscode,
  sampleRecord,
  sampleStatus,
  sampleView,
} from './fake-services.ts';
import { answerAboutImports, answerAboutPeople } from './people-answers.ts';
import { answerAboutTtlockLogins } from './ttlock-answers.ts';
import { answerAboutUpkeep } from './upkeep.ts';

const sampleSession: SignInView = {
  signIn: {
    ...{ hash: 'a'.repeat(64), sessionId: 'k3Vq0ZtT', accountId: sampleCaller.accountId, method: 'passkey', tokenId: null, passkeyId: 3 },
    ...{ stay: true, createdAt: 1_763_715_700_000, lastUsedAt: 1_763_715_700_000, expiresAt: 1_766_307_700_000 },
    ...{ address: '192.168.1.7', agent: 'Firefox, Android' },
  },
  ...{ username: 'alice', lastUsedAt: 1_763_719_300_000, isCurrent: false },
};
const samplePasskey: Passkey = {
  ...{ passkeyId: 3, accountId: sampleCaller.accountId, name: 'phone', host: 'gateway.local', credentialId: 'sample', publicKey: 'sample' },
  ...{ counter: 0, transports: [], createdAt: 1_763_715_700_000, lastUsedAt: null },
};
const sampleHandover: HandoverView = {
  ...{ handoverId: 'k3Vq0ZtT', state: 'claimed', expiresAt: 1_763_802_100_000 },
  came: { agent: 'Safari, iPhone', address: '192.168.1.9', code: '4821' },
};

/** From now on they answer with samples; `calls` is what they were asked, without the caller and the abort signal. */
export function answerWithSamples({
  locks,
  cards,
  passcodes,
  records,
  registrations,
  roles,
  accounts,
  signIns,
  passwords,
  invitations,
  handovers,
  passkeys,
  hubs,
  pairing,
  alarms,
  audit,
  webhooks,
  notifications,
  imports,
  revocations,
  suggestions,
  entries,
  enrolments,
  questions,
  ...others
}: FakeServices): {
  readonly calls: readonly (readonly unknown[])[];
} {
  const calls: unknown[][] = [];

  function asked<T>(name: string, answer: T) {
    return (...args: readonly unknown[]): T => {
      expect(args[0]).toMatchObject(sampleCaller);
      calls.push([name, ...args.slice(1).filter((arg) => !isGone(arg))]);
      return answer;
    };
  }

  const failed = { ...sampleRecord, recordId: 1200, type: 'passcode-unlock', success: false, credential: '', username: '' };
  const bob: Account = {
    accountId: 4 as Account['accountId'],
    username: 'bob',
    gatewayAdministrator: false,
    accessManager: false,
    createdAt: 1_763_715_700_000,
  };
  const token: ApiToken = {
    ...{ kind: 'api', tokenId: 12, accountId: bob.accountId, name: 'phone' },
    ...{ hash: 'cd'.repeat(32), createdAt: bob.createdAt, expiresAt: null },
  };
  const managed = { lock: sampleLock, status: sampleStatus, online: true, capabilities: sampleCapabilities, administrator: 'alice' };
  const { lockId, deviceId, name, alias, administrator } = sampleLock;
  const removed = { lockId, deviceId, name, alias, administrator, removedAt: 1_763_715_700_000, removedBy: bob.accountId };
  const key = { lockId: sampleLock.lockId, deviceId: sampleLock.deviceId, deviceKey: 'sample-device-key' };
  const hubId = 'a4c1387f02f0' as DeviceId;
  const hub = { deviceId: hubId, name: 'Stairwell', createdAt: bob.createdAt, keyHash: 'ab'.repeat(32) };
  const hubKey = { deviceId: hubId, deviceKey: 'sample-device-key' };
  const nothing = Promise.resolve();
  Object.assign(locks, {
    state: asked('state', { state: 'locked', stateAt: sampleStatus.stateAt, online: true }),
    battery: asked('battery', 83),
    batteryHistory: asked('batteryHistory', [
      { at: 1_763_000_000_000, percent: 84 },
      { at: 1_763_600_000_000, percent: 83 },
    ]),
    setBolt: async (_caller: unknown, lockId: unknown, wanted: string) => {
      calls.push(['setBolt', lockId, wanted]);
      return wanted === 'locked' ? { success: true } : { success: false, reason: 'jammed' };
    },
    setAutoLock: asked('setAutoLock', nothing),
    detail: asked('detail', sampleView),
    rename: asked('rename', nothing),
    changeSettings: asked('changeSettings', nothing),
  });
  records.page = async (_caller, _lockId, { pageNo, pageSize }) => ({
    ...paginate([sampleRecord, { ...failed, lockDate: 1_763_715_400_000, serverDate: 1_763_715_401_000 }], { pageNo, pageSize }),
    showsPasscodes: true,
  });
  Object.assign(cards, {
    list: (_caller: unknown, _lockId: unknown, page: { pageNo: number; pageSize: number }) => paginate([sampleCard], page),
    add: asked('add', Promise.resolve(sampleCard.cardId)),
    changeValidity: asked('changeValidity', nothing),
    rename: asked('renameCard', nothing),
    remove: asked('removeCard', nothing),
    detail: asked('card', sampleCard),
    onLock: (caller: unknown, lockId: unknown, page: { pageNo: number; pageSize: number }) => {
      expect(caller).toMatchObject(sampleCaller);
      calls.push(['onLock', lockId]);
      const { cardNumber, startDate, endDate } = sampleCard;
      return paginate(
        [
          { cardNumber, startDate, endDate, known: true },
          { cardNumber: '5550001', startDate: 0, endDate: 0, known: false },
        ],
        page,
      );
    },
  });
  const passcode = { ...samplePasscode, name: 'Cleaner' };
  Object.assign(passcodes, {
    list: (_caller: unknown, _lockId: unknown, page: { pageNo: number; pageSize: number }) => paginate([passcode], page),
    async add(_caller: unknown, lockId: unknown, given: object, via: string) {
      calls.push(['addPasscode', lockId, given, via]);
      return { passcodeId: passcode.passcodeId, code: passcode.code, ...(via === 'queue' && { status: 'pending' }) };
    },
    async change(_caller: unknown, lockId: unknown, passcodeId: unknown, times: object, via: string) {
      calls.push(['changePasscode', lockId, passcodeId, times, via]);
      return via === 'queue' ? { status: 'updating' } : {};
    },
    rename: asked('renamePasscode', nothing),
    async remove(_caller: unknown, lockId: unknown, passcodeId: unknown, via: string) {
      calls.push(['removePasscode', lockId, passcodeId, via]);
      return via === 'queue' ? { status: 'removing' } : {};
    },
    detail: asked('passcode', passcode),
  });
  registrations.managed = async (_caller, page) => paginate([managed], page);
  registrations.removed = (_caller, page) => paginate([{ removed, administrator: 'alice', removedBy: 'bob' }], page);
  roles.list = (_caller, _lockId, page) =>
    paginate(
      [
        { username: 'alice', role: 'administrator' },
        { username: 'bob', role: 'manager' },
      ],
      page,
    );
  accounts.listAccounts = async (_caller, page) => paginate([bob], page);
  accounts.listTokens = async (_caller, page) => paginate([{ token, username: 'bob' }], page);
  hubs.list = (_caller, page) => paginate([{ hub, online: true, locks: 3 }], page);
  pairing.devices = (_caller, page) =>
    paginate(
      [
        {
          deviceId: '0123456789ab' as DeviceId,
          address: '10.0.0.9',
          keyFingerprint: '9f86-d081-884c-7d65',
          since: 1_763_715_650_000,
          connected: true,
          contested: false,
          hello: { modelNum: 'SN-9', hardwareRevision: '1.3', firmwareRevision: '6.5.07', state: 'locked', battery: 92 },
          replaces: undefined,
        },
        announcedDevice,
      ],
      page,
    );
  Object.assign(registrations, {
    async register(_caller: unknown, lock: object) {
      calls.push(['register', lock]);
      if (!('driver' in lock)) return key;
      const mqtt = { host: '192.168.20.1', port: 1883, tlsPort: null, username: 'knob-e70059d86b', password: 'k3Vq0ZtT1hXy8sPq2LmN' };
      return { lockId: key.lockId, deviceId: announcedDevice.deviceId, mqtt };
    },
    change: asked('change', Promise.resolve(managed)),
    remove: asked('removeLock', Promise.resolve({ removed, cardsOnLock: 3 })),
    renewKey: asked('renewKey', Promise.resolve(key)),
  });
  Object.assign(roles, {
    appoint: asked('appoint', nothing),
    grant: asked('grant', nothing),
    revoke: asked('revoke', nothing),
  });
  Object.assign(hubs, {
    register: asked('registerHub', Promise.resolve(hubKey)),
    remove: asked('removeHub', nothing),
    renewKey: asked('renewHubKey', Promise.resolve(hubKey)),
  });
  Object.assign(pairing, {
    open: asked('openPairing', Promise.resolve(1_763_716_000_000)),
    close: asked('closePairing', nothing),
    confirm: async (_caller: unknown, deviceId: unknown, confirmation: { readonly lock?: object }) => {
      calls.push(['confirm', deviceId, confirmation]);
      return { lockId: 9 as LockId, replaced: confirmation.lock === undefined };
    },
  });
  Object.assign(accounts, {
    createAccount: asked('createAccount', Promise.resolve(bob)),
    setRights: asked('setRights', Promise.resolve({ ...bob, accessManager: true })),
    removeAccount: asked('removeAccount', nothing),
    createToken: asked('createToken', Promise.resolve({ token, username: 'bob', secret: 'sample-secret' })),
    removeToken: asked('removeToken', nothing),
  });
  const signedIn = { secret: 'sample-sign-in', caller: sampleCaller };
  signIns.signIn = asked('signIn', Promise.resolve(signedIn));
  signIns.list = (_caller, page) => paginate([sampleSession], page);
  signIns.end = asked('endSession', nothing);
  signIns.endOthers = asked('endOthers', Promise.resolve(3));
  passwords.signIn = async () => signedIn;
  passwords.change = asked('changePassword', nothing);
  invitations.invite = asked('invite', Promise.resolve({ secret: 'sample-secret', expiresAt: 1_763_802_100_000 }));
  invitations.accept = async () => signedIn;
  invitations.look = () => ({ username: 'bob', expiresAt: 1_763_802_100_000 });
  handovers.make = asked('makeHandover', { secret: 'sample-secret', handover: sampleHandover });
  handovers.state = asked('handoverState', sampleHandover);
  handovers.confirm = asked('confirmHandover', nothing);
  handovers.cancel = asked('cancelHandover', undefined);
  handovers.claim = () => ({ claim: 'sample-claim', code: '4821', expiresAt: 1_763_802_100_000 });
  handovers.take = async (claim) => (claim === 'sample-claim' ? signedIn : undefined);
  passkeys.list = (_caller, page) => paginate([samplePasskey], page);
  passkeys.creationOptions = asked('creationOptions', Promise.resolve({ rp: { id: 'gateway.local', name: 'latchd' } }));
  passkeys.add = asked('addPasskey', Promise.resolve(samplePasskey));
  passkeys.remove = asked('removePasskey', nothing);
  passkeys.signInOptions = async () => ({ rpId: 'gateway.local', userVerification: 'required' });
  passkeys.signIn = async () => signedIn;
  alarms.list = (_caller, page) =>
    paginate<Alarm>(
      [
        { kind: 'tampered', lockId: sampleLock.lockId, since: 1_763_715_700_000, reason: 'somebody tampered with it' },
        { kind: 'clock-suspect', lockId: null, since: 1_763_715_600_000, reason: 'the clock of the gateway is probably wrong' },
      ],
      page,
    );
  const entry = { username: 'alice', address: '10.0.0.5', action: 'lock-register', detail: 'Front door' };
  audit.page = async (_caller, { pageNo, pageSize }) =>
    paginate<AuditEntry>(
      [
        { ...entry, id: 18, at: 1_763_715_700_000, object: 'lock 7', outcome: 'ok' },
        {
          ...{ ...entry, id: 17, at: 1_763_715_600_000, username: 'bob', address: '10.0.0.6' },
          ...{ object: 'device a4c1387f02e9', outcome: 'forbidden', missed: 3 },
        },
        {
          ...{ id: 16, at: 1_763_715_500_000, username: 'bob', address: '10.0.0.6', action: 'unlock', object: 'lock 7' },
          ...{ detail: '', outcome: 'lock-offline', count: 4 },
        },
      ],
      { pageNo, pageSize },
    );
  Object.assign(alarms, { end: asked('endAlarm', nothing) });
  const webhookId = 3 as WebhookId;
  const issued = { webhookId, secret: 'sample-webhook-secret' };
  const attempt = { delivered: true, status: 204, reason: '', ms: 12 };
  const view: WebhookView = {
    webhook: {
      webhookId,
      accountId: sampleCaller.accountId,
      name: 'Building control',
      url: 'https://building.example.org/doors',
      secret: issued.secret,
      eventTypes: ['record', 'alarm', 'alarm-ended'],
      lockIds: [sampleLock.lockId],
      enabled: true,
      createdAt: 1_763_715_700_000,
    },
    ...{ username: 'alice', waiting: 0, failed: 1, forgotten: 0, failingSince: null },
  };
  const notified = {
    to: 'erika@example.org',
    alarms: true,
    events: ['refused'] as const,
    lockIds: [],
    groupIds: [],
    waiting: 0,
    failure: '',
  };
  const chosen = (isConfirmed: boolean): NotificationsView => ({
    ...{ available: ['email', 'ntfy'], language: 'de', email: { ...notified, isConfirmed }, ntfy: null },
  });
  notifications.get = () => chosen(false);
  notifications.failures = (_caller, _whose, page) =>
    paginate<FailureView>(
      [
        {
          ...{ username: 'alice', channel: 'email', kind: 'alarm', at: 1_763_715_501_000, count: 1, attempts: 55 },
          ...{ triedAt: 1_763_801_901_000, reason: 'no answer: ECONNREFUSED' },
        },
      ],
      page,
    );
  Object.assign(notifications, {
    change: asked('changeNotifications', Promise.resolve(chosen(false))),
    confirm: asked('confirmAddress', Promise.resolve(chosen(true))),
    endOf: asked('endNotifications', Promise.resolve()),
    test: asked('testNotification', Promise.resolve({ delivered: true, status: 250, reason: '', ms: 120 })),
  });
  answerAboutTtlockLogins(others, asked);
  webhooks.list = async (_caller, page) => paginate([view], page);
  webhooks.deliveries = async (_caller, _webhookId, page) =>
    paginate<DeliveryLogEntry>(
      [
        {
          ...{ id: 'record-1201', type: 'record', lockId: sampleLock.lockId, at: 1_763_715_501_000, recordId: 1201, body: '{}' },
          ...{ progress: 'failed', attempts: 55, triedAt: 1_763_801_901_000, status: 503, reason: 'answered 503' },
        },
      ],
      page,
    );
  answerAboutImports(imports);
  answerAboutPeople(others, asked);
  Object.assign(webhooks, {
    create: asked('createWebhook', Promise.resolve(issued)),
    change: asked('changeWebhook', Promise.resolve(view)),
    remove: asked('removeWebhook', nothing),
    renewSecret: asked('renewWebhookSecret', Promise.resolve(issued)),
    test: asked('testWebhook', Promise.resolve(attempt)),
    replay: asked('replayDelivery', Promise.resolve(attempt)),
  });
  const revocation: Revocation = {
    ...{
      revocationId: 4 as RevocationId,
      credentialId: 12 as CredentialId,
      personId: 5 as PersonId,
      kind: 'card',
      numbers: ['1325672378'],
    },
    ...{ lostDate: 1_763_715_600_000, reason: 'lost in town', by: 'alice', lockIds: [], certainDate: null, foundDate: null },
  };
  const unknown = { proof: null, since: null, lastSwipe: null, admitsUntil: null, electricQuantity: null, advice: [] };
  const report: RevocationReport = {
    ...{ revocation, certain: false, doors: { dead: 2, open: 1 }, hiddenLocks: 0 },
    locks: [
      { ...unknown, lockId: sampleLock.lockId, state: 'gone', proof: { basis: 'reply', date: 1_763_715_601_000, commandId: 'c81' } },
      { ...unknown, lockId: 9 as LockId, state: 'ended', proof: { basis: 'validity', date: 1_763_000_000_000 } },
      {
        ...{ ...unknown, lockId: 4 as LockId, state: 'offline', since: 1_763_715_000_000, lastSwipe: 1_763_714_000_000 },
        ...{ electricQuantity: 12, advice: ['bring it online', 'remove it with the phone, then deleteType=1'] },
      },
    ],
  };
  Object.assign(revocations, {
    lost: asked('lost', Promise.resolve(report)),
    lostCard: asked('lostCard', Promise.resolve(report)),
    found: asked('found', nothing),
    foundCard: asked('foundCard', nothing),
    ofCredential: asked('revocationOf', Promise.resolve(report)),
    report: asked('revocation', Promise.resolve(report)),
  });
  const opener: OnLock = {
    ...{ lockId: sampleLock.lockId, personId: 5, credentialId: 12, entryId: 41, kind: 'card', name: 'Erika M.', cardNumber: '1325672378' },
    ...{ certain: true, because: 'held since 2025-11-20T08:00:00.000Z (reply), hours 12345 07:00-19:00', isStranger: false },
  };
  const swipe = {
    ...sampleRecord,
    recordId: 8_123_001,
    credential: '1325672378',
    username: 'Erika M.',
    lockDate: 1_763_715_600_000,
    serverDate: 1_763_715_605_000,
  };
  questions.who = async (_caller, _question, page) => ({ ...paginate([opener], page), superPasscode: true, strangers: 0 });
  questions.where = async (_caller, _question, page) => ({ ...paginate([opener], page), hiddenLocks: 1 });
  questions.records = async (_caller, { personId }, page) => ({
    ...paginate([{ record: swipe, personId, credentialId: 12 }], page),
    hiddenLocks: 0,
  });
  questions.completeness = async () => ({
    ...{ complete: false, records: 812, unheardAfter: null, clockDoubtful: [] },
    epochs: [{ epoch: '7d3f', from: 1, to: 815, missing: [[40, 42]], lost: true }],
    offline: [[1_763_701_000_000, 1_763_702_000_000]],
  });
  const window = { startDate: 0, endDate: 0, hours: '', once: false };
  const spare: Entry = {
    ...{ entryId: 41 as CardId, lockId: sampleLock.lockId, kind: 'card', number: '1325672378', name: 'Spare card', createdAt: 1 },
    ...{ createdBy: 'ada', managed: true, direct: null, credentialId: 12, held: null, missing: false, used: false, accepted: null },
    scheduleId: null,
  };
  const state = { status: 'pending', why: 'offline', since: 1_763_715_600_000, lockError: null, nextDate: null } as const;
  const comparison = { unchanged: 40, different: 0, missing: 1, extraneous: 2 };
  entries.list = async (_caller, _lockId, _status, page) =>
    paginate([{ entry: spare, state, window, personId: 5 as PersonId, grantIds: [3] }], page);
  entries.compare = async (_caller, page) => ({
    ...paginate([{ lockId: sampleLock.lockId, ...comparison, state: 'online' as const, paused: false }], page),
    sum: comparison,
  });
  Object.assign(entries, {
    check: asked('checkEntries', Promise.resolve(comparison)),
    decide: asked('decideEntry', nothing),
    resume: asked('resumeAccess', nothing),
  });
  suggestions.list = async (_caller, page) =>
    paginate<Suggestion>(
      [
        {
          ...{ suggestionId: 3, lockId: sampleLock.lockId, kind: 'byte-order', cards: 2, swipes: 5, since: 1_763_715_600_000 },
          ...{ readerOrder: 'reverse', directCards: 1 },
        },
      ],
      page,
    );
  const begun = { enrolmentId: 'sample-enrolment', closeDate: 1_763_715_760_000 };
  const waiting = { ...begun, personId: 5, lockId: sampleLock.lockId, state: 'found', card: { ends: '2378', width: 4 } };
  Object.assign(suggestions, { accept: asked('acceptSuggestion', Promise.resolve({ lockId: sampleLock.lockId })) });
  Object.assign(enrolments, {
    begin: asked('beginEnrolment', Promise.resolve(begun)),
    get: asked('enrolment', waiting),
    confirm: asked('confirmEnrolment', Promise.resolve(13)),
    end: asked('endEnrolment', nothing),
  });
  answerAboutBoard(others, asked);
  others.homeCode.set = asked('homeCode.set', nothing);
  others.homeCode.remove = asked('homeCode.remove', nothing);
  answerAboutUpkeep(others, asked);
  return { calls };
}
