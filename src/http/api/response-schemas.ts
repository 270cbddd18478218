// The schema of every answer, by the names of the specification (Specification 2, HTTP API 4, 5, 6 and 8). `views.ts` compiles only if its
// functions return these; the OpenAPI document is made from them. Loaded at the first request for it: answers are not validated.

import { z } from 'zod';
import { alarmKinds } from '../../domain/alarms/alarm.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { deliveryTypes } from '../../domain/webhooks/delivery.ts';
import { webhookKinds } from '../../domain/webhooks/webhook.ts';
import { problemKinds } from '../pipeline/problem.ts';
import { activitySchemas } from './activity-schemas.ts';
import { boardSchemas } from './board-schemas.ts';
import { entrySchemas } from './entry-schemas.ts';
import { homeAssistantSchemas } from './home-assistant-schemas.ts';
import { importSchemas } from './import-schemas.ts';
import { bridge, capabilities, driver, mqttLogin } from './make-schemas.ts';
import { notificationSchemas } from './notification-schemas.ts';
import * as people from './people-schemas.ts';
import { besideOpeners, completeness, hidden, opener } from './question-schemas.ts';
import { readerSchemas } from './reader-schemas.ts';
import { revocationSchemas } from './revocation-schemas.ts';
import { signInAnswers } from './sign-in-answers.ts';
import { ttlockLoginSchemas } from './ttlock-login-schemas.ts';
import { upkeepSchemas } from './upkeep-schemas.ts';

const id = z.int().min(1);
const dateMs = z.int().min(0);
const count = z.int().min(0);
const switched = z.int().min(0).max(2);
const batteryPercent = z.int().min(-1).max(100);
const state = z.enum(['locked', 'unlocked']);
const flag = z.literal([0, 1]);
const deviceId = z.string().regex(/^[0-9a-f]{12}$/);
const mac = z.string().regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/);
const cardNumber = z.string().regex(/^\d{1,20}$/);

const lockItem = z.strictObject({
  lockId: id,
  lockName: z.string(),
  lockAlias: z.string(),
  lockMac: mac,
  electricQuantity: batteryPercent,
  featureValue: z.string(),
  hasGateway: flag,
  lockData: z.string(),
  groupId: count,
  groupName: z.string(),
  date: dateMs,
});

const lockDetail = z.strictObject({
  lockId: id,
  lockName: z.string(),
  lockAlias: z.string(),
  lockMac: mac,
  noKeyPwd: z.string(),
  electricQuantity: batteryPercent,
  featureValue: z.string(),
  timezoneRawOffset: z.int(),
  modelNum: z.string(),
  hardwareRevision: z.string(),
  firmwareRevision: z.string(),
  autoLockTime: count,
  lockSound: switched,
  privacyLock: switched,
  tamperAlert: switched,
  resetButton: switched,
  openDirection: switched,
  passageMode: switched,
  passageModeAutoUnlock: switched.min(1),
  date: dateMs,
});

const record = z.strictObject({
  recordId: id,
  lockId: id,
  serverDate: dateMs,
  recordType: z.string(),
  success: flag,
  keyboardPwd: z.string(),
  lockDate: z.int(),
  username: z.string(),
});

const card = z.strictObject({
  cardId: id,
  lockId: id,
  cardNumber,
  cardName: z.string(),
  startDate: dateMs,
  endDate: dateMs,
  createDate: dateMs,
  senderUsername: z.string(),
});

const cardDetail = z.strictObject({
  keyboardPwdId: id,
  lockId: id,
  keyboardPwd: cardNumber,
  keyboardPwdName: z.string(),
  keyboardPwdType: z.literal([2, 3]),
  startDate: dateMs,
  endDate: dateMs,
  sendDate: dateMs,
  senderUsername: z.string(),
});

const passcode = z.strictObject({
  keyboardPwdId: id,
  lockId: id,
  keyboardPwd: z.string().regex(/^\d*$/),
  keyboardPwdName: z.string(),
  keyboardPwdType: z.literal([1, 2, 3]),
  startDate: dateMs,
  endDate: dateMs,
  sendDate: dateMs,
  isCustom: flag,
  senderUsername: z.string(),
});

const batteryLevel = z.strictObject({ reportDate: dateMs, electricQuantity: z.int().min(0).max(100) });

const cardOnLock = z.strictObject({ cardNumber, startDate: dateMs, endDate: dateMs, known: z.boolean() });

const managedLock = z.strictObject({
  lockId: id,
  deviceId,
  lockMac: mac,
  lockName: z.string(),
  lockAlias: z.string(),
  groupId: count,
  groupName: z.string(),
  timezoneRawOffset: z.int(),
  electricQuantity: batteryPercent,
  online: z.boolean(),
  lastSeen: dateMs.nullable(),
  hubId: deviceId.nullable(),
  driver: driver.nullable(),
  capabilities,
  strangers: z.enum(['keep', 'remove']),
  administrator: z.string(),
  cardsOnLock: count.nullable(),
  date: dateMs,
  access: z.strictObject({ gained: count, lost: count }).exactOptional(),
});

const removedLock = z.strictObject({
  lockId: id,
  deviceId,
  lockMac: mac,
  lockName: z.string(),
  lockAlias: z.string(),
  administrator: z.string(),
  removeDate: dateMs,
  removedBy: z.string(),
});

const grantedRole = z.strictObject({ username: z.string(), role: z.enum(['operator', 'manager', 'administrator']) });

const hub = z.strictObject({ deviceId, mac, name: z.string(), online: z.boolean(), locks: count, date: dateMs });

const pendingDevice = z.strictObject({
  deviceId,
  lockMac: mac,
  address: z.string(),
  keyFingerprint: z.string().nullable(),
  since: dateMs,
  connected: z.boolean(),
  contested: z.boolean(),
  hello: z
    .strictObject({
      modelNum: z.string(),
      hardwareRevision: z.string(),
      firmwareRevision: z.string(),
      featureValue: z.string(),
      state: state.nullable(),
      electricQuantity: batteryPercent,
    })
    .nullable(),
  replaces: z.strictObject({ lockId: id, lockName: z.string(), online: z.boolean() }).nullable(),
  driver: driver.nullable(),
  name: z.string().nullable(),
  make: z.string().nullable(),
  model: z.string().nullable(),
  refused: z.string().nullable(),
});

const account = z.strictObject({ username: z.string(), gatewayAdministrator: z.boolean(), accessManager: z.boolean(), createDate: dateMs });

const token = z.strictObject({
  tokenId: id,
  kind: z.enum(['api', 'ttlock']),
  username: z.string(),
  name: z.string(),
  createDate: dateMs,
  expireDate: dateMs.nullable(),
});

const alarm = z.strictObject({
  kind: z.enum(alarmKinds),
  lockId: id.nullable(),
  since: dateMs,
  reason: z.string(),
  endsByItself: z.boolean(),
});

const auditEntry = z.strictObject({
  date: dateMs,
  username: z.string(),
  address: z.string(),
  action: z.string(),
  object: z.string(),
  detail: z.string(),
  outcome: z.enum(['ok', 'unknown', 'nothing-to-do', ...(Object.keys(problemKinds) as ErrorCode[])]),
  missed: count,
  count,
  sessionId: z.string().nullable(),
});

const webhook = z.strictObject({
  webhookId: id,
  kind: z.enum(webhookKinds),
  username: z.string(),
  name: z.string(),
  url: z.string(),
  eventTypes: z.array(z.enum(deliveryTypes)),
  lockIds: z.array(id),
  enabled: z.boolean(),
  waiting: count,
  failed: count,
  forgotten: count,
  failingSince: dateMs.nullable(),
  createDate: dateMs,
});

const delivery = z.strictObject({
  deliveryId: z.string(),
  eventType: z.enum(deliveryTypes),
  lockId: id.nullable(),
  eventDate: dateMs,
  progress: z.enum(['delivered', 'waiting', 'failed']),
  attempts: count,
  attemptDate: dateMs,
  status: z.int().nullable(),
  reason: z.string(),
});

const update = z.strictObject({
  state: z.enum(['off', 'unknown', 'newest', 'available']),
  version: z.string().nullable(),
  reason: z.enum(['not-asked', 'no-apt', 'not-installed', 'other-version', 'no-repository', 'failed']).nullable(),
  askedDate: dateMs.nullable(),
  lookedDate: dateMs.nullable(),
});

const nodeRole = z.enum(['starting', 'waiting', 'serving', 'lost']);
/** Of the nodes that share a database. */
const cluster = z.strictObject({
  name: z.string(),
  role: nodeRole,
  serving: z.array(z.string()),
  leader: z.string().nullable(),
  leaseSecondsLeft: count.nullable(),
  nodes: z.array(z.strictObject({ name: z.string(), url: z.string().nullable(), role: nodeRole })),
});

/** Members come and go with the parts that are configured. */
const gatewayStatus = z.looseObject({
  version: z.string(),
  update,
  uptimeSeconds: count,
  locks: count,
  online: count,
  pairingOpen: z.boolean(),
  pendingDevices: count,
  cluster: cluster.exactOptional(),
});

const address = z.strictObject({ host: z.string(), port: count });
const readiness = z.strictObject({
  ready: z.boolean(),
  parts: z.record(z.string(), z.string()),
  since: dateMs.exactOptional(),
  http: address.exactOptional(),
  https: address.exactOptional(),
  mqtt: address.exactOptional(),
  mqtts: address.exactOptional(),
  devices: address.exactOptional(),
  cluster: cluster.extend({ forwardsTo: z.string().nullable().exactOptional() }).exactOptional(),
});

const problem = z.strictObject({
  type: z.string().regex(/^urn:latchd:problem:[a-z-]+$/),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  code: z.enum(Object.keys(problemKinds) as [ErrorCode, ...ErrorCode[]]),
  requestId: z.string().regex(/^[0-9a-f]{12}$/),
  errors: z
    .array(z.strictObject({ parameter: z.string(), message: z.string() }))
    .min(1)
    .max(100)
    .exactOptional(),
  lockError: z.string().exactOptional(),
  grantIds: z.array(id).exactOptional(),
});

function page<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ list: z.array(item), pageNo: id, pageSize: id, pages: count, total: count });
}

/** The schemas by their names in the document. */
export const responseSchemas = {
  Success: z.strictObject({ success: z.literal(true) }),
  Moved: z.strictObject({ success: z.boolean(), reason: z.string().exactOptional() }),
  LockState: z.strictObject({ state }),
  BatteryLevel: batteryLevel,
  BatteryLevelPage: page(batteryLevel),
  Battery: z.strictObject({ BatteryPercentage: z.int().min(0).max(100) }),
  Lock: lockItem,
  LockPage: page(lockItem),
  LockDetail: lockDetail,
  LockRecord: record,
  RecordPage: page(record),
  Card: card,
  CardPage: page(card),
  CardDetail: cardDetail,
  AddedCard: z.strictObject({ keyboardPwdId: id }),
  Passcode: passcode,
  PasscodePage: page(passcode),
  AddedPasscode: z.strictObject({ keyboardPwdId: id, keyboardPwd: z.string().regex(/^\d{4,9}$/) }),
  CardOnLock: cardOnLock,
  CardOnLockPage: page(cardOnLock),
  ManagedLock: managedLock,
  Capabilities: capabilities,
  ManagedLockPage: page(managedLock),
  Removal: z.strictObject({ success: z.literal(true), cardsOnLock: count.nullable() }),
  RemovedLock: removedLock,
  RemovedLockPage: page(removedLock),
  GrantedRole: grantedRole,
  GrantedRolePage: page(grantedRole),
  IssuedKey: z.strictObject({ lockId: id, deviceId, deviceKey: z.string().exactOptional(), mqtt: mqttLogin.exactOptional() }),
  Hub: hub,
  HubPage: page(hub),
  IssuedHubKey: z.strictObject({ deviceId, deviceKey: z.string() }),
  Bridge: bridge,
  BridgePage: page(bridge),
  PairingWindow: z.strictObject({ closeDate: dateMs }),
  PendingDevice: pendingDevice,
  PendingDevicePage: page(pendingDevice),
  ConfirmedDevice: z.strictObject({ lockId: id, deviceId }),
  ...signInAnswers,
  SessionPage: page(signInAnswers.Session),
  PasskeyPage: page(signInAnswers.Passkey),
  Account: account,
  AccountPage: page(account),
  Token: token,
  TokenPage: page(token),
  IssuedToken: z.strictObject({ tokenId: id, token: z.string() }),
  Alarm: alarm,
  AlarmPage: page(alarm),
  Opener: opener,
  OpenerPage: page(opener).extend(besideOpeners),
  OpenedLockPage: page(opener.extend({ lockId: id })).extend(hidden),
  PersonRecordPage: page(record.extend({ personId: id, credentialId: id.nullable() })).extend(hidden),
  Completeness: completeness,
  AuditEntry: auditEntry,
  AuditPage: page(auditEntry),
  Webhook: webhook,
  WebhookPage: page(webhook),
  IssuedWebhookSecret: z.strictObject({ webhookId: id, secret: z.string() }),
  WebhookAttempt: z.strictObject({ delivered: z.boolean(), status: z.int().nullable(), reason: z.string(), ms: count }),
  Delivery: delivery,
  DeliveryPage: page(delivery),
  ...ttlockLoginSchemas,
  TtlockLoginPage: page(ttlockLoginSchemas.TtlockLogin),
  ...notificationSchemas,
  FailedNotificationPage: page(notificationSchemas.FailedNotification),
  ...importSchemas,
  Revocation: revocationSchemas.Revocation,
  ...readerSchemas,
  SuggestionPage: page(readerSchemas.Suggestion),
  ...boardSchemas,
  ...upkeepSchemas,
  ...activitySchemas,
  Entry: entrySchemas.Entry,
  EntryPage: page(entrySchemas.Entry),
  EntryCheck: entrySchemas.EntryCheck,
  ComparisonPage: page(entrySchemas.LockComparison).extend({ sum: entrySchemas.Comparison }),
  MadePerson: people.madePerson,
  PersonRow: people.personRow,
  PeoplePage: page(people.personRow),
  Person: people.person,
  MadeCredential: people.madeCredential,
  MadeGrant: people.madeGrant,
  GrantRow: people.grantRow,
  GrantPage: page(people.grantRow),
  Grant: people.grant,
  Schedule: people.schedule,
  SchedulePage: page(people.schedule),
  Holidays: people.holidays,
  GatewayStatus: gatewayStatus,
  ...homeAssistantSchemas,
  Health: z.strictObject({ status: z.literal('ok') }),
  Readiness: readiness,
  Problem: problem,
} satisfies Readonly<Record<string, z.ZodObject>>;

export type ResponseName = keyof typeof responseSchemas;
/** The type of the body with that name. */
export type ResponseBody<Name extends ResponseName> = z.input<(typeof responseSchemas)[Name]>;
