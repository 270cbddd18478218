// The audit action of each method of each service. It may contain names that people gave, but never keys, tokens, passcodes or card
// numbers.
import type { AccountRights } from '../accounts/account.ts';
import type { AccountService } from '../accounts/account-service.ts';
import type { RoleService } from '../accounts/role-service.ts';
import type { AlarmService } from '../alarms/alarm-service.ts';
import type { CardId } from '../credentials/card.ts';
import type { CardService } from '../credentials/card-service.ts';
import type { HomeCodeService } from '../home-assistant/home-code-service.ts';
import type { FoundDevices } from '../locks/found-devices.ts';
import type { HubService } from '../locks/hub.ts';
import type { LockId } from '../locks/lock.ts';
import type { Removal } from '../locks/lock-removal.ts';
import type { LockService } from '../locks/lock-service.ts';
import type { RegistrationService } from '../locks/registration-service.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { WebhookId } from '../webhooks/webhook.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import { type AuditTable, type AuditTrail, audited } from './audit.ts';
import type { UnlockAttempts } from './unlock-attempts.ts';

export const ofLock = (lockId: LockId): string => `lock ${lockId}`;
const ofCard = (lockId: LockId, cardId: CardId): string => `card ${cardId} of lock ${lockId}`;

const ofWebhook = (webhookId: WebhookId): string => `webhook ${webhookId}`;

const registrations: AuditTable<RegistrationService> = {
  register: ([, lock], made) => ({
    action: 'lock-register',
    object: made === undefined ? `device ${'driver' in lock ? lock.driver.kind : lock.deviceId}` : ofLock(made.lockId),
    detail: 'driver' in lock ? `${lock.name}: ${lock.driver.kind}` : lock.name,
  }),
  // Parts of `confirm`, which has its own entry.
  adopt: 'not-audited',
  replaceKey: 'not-audited',
  managed: 'not-audited',
  // The names of the members without their values, because the super passcode and lockData are among them.
  change: ([, lockId, changes]) => ({ action: 'lock-change', object: ofLock(lockId), detail: Object.keys(changes).join(', ') }),
  remove: ([, lockId, clear], made) => ({ action: 'lock-remove', object: ofLock(lockId), detail: removal(clear !== undefined, made) }),
  removed: 'not-audited',
  renewKey: ([, lockId]) => ({ action: 'lock-key', object: ofLock(lockId) }),
};

const roles: AuditTable<RoleService> = {
  appoint: ([, lockId, username]) => ({ action: 'lock-administrator', object: ofLock(lockId), detail: username }),
  list: 'not-audited',
  grant: ([, lockId, username, role]) => ({ action: 'role-grant', object: ofLock(lockId), detail: `${username}: ${role}` }),
  revoke: ([, lockId, username]) => ({ action: 'role-revoke', object: ofLock(lockId), detail: username }),
};

const accounts: AuditTable<AccountService> = {
  authenticate: 'not-audited',
  callerOf: 'not-audited',
  callerWith: 'not-audited',
  createAccount: ([, username, rights]) => ({ action: 'account-create', object: `account ${username}`, detail: rightsSaid(rights) }),
  setRights: ([, username, rights]) => ({
    action: 'account-rights',
    object: `account ${username}`,
    detail: rightsSaid(rights) || 'none',
  }),
  listAccounts: 'not-audited',
  removeAccount: ([, username], gone) => ({
    action: 'account-remove',
    object: `account ${username}`,
    detail: withRoles(gone?.roles ?? 0),
  }),
  createToken: ([, { username, name }], made) => ({
    action: 'token-create',
    object: made === undefined ? `account ${username}` : `token ${made.token.tokenId}`,
    detail: `${username}: ${name}`,
  }),
  listTokens: 'not-audited',
  removeToken: ([, tokenId]) => ({ action: 'token-remove', object: `token ${tokenId}` }),
  // No account does this, and the tokens were useless already.
  forgetExpired: 'not-audited',
};

const hubs: AuditTable<HubService> = {
  find: 'not-audited',
  register: ([, { deviceId, name }]) => ({ action: 'hub-register', object: `hub ${deviceId}`, detail: name }),
  list: 'not-audited',
  remove: ([, deviceId]) => ({ action: 'hub-remove', object: `hub ${deviceId}` }),
  renewKey: ([, deviceId]) => ({ action: 'hub-key', object: `hub ${deviceId}` }),
};

const pairing: AuditTable<FoundDevices> = {
  open: ([, seconds]) => ({ action: 'pairing-open', object: 'pairing', detail: `${seconds} s` }),
  close: () => ({ action: 'pairing-close', object: 'pairing' }),
  devices: 'not-audited',
  confirm: ([, deviceId], made) => ({
    action: 'device-confirm',
    object: made === undefined ? `device ${deviceId}` : ofLock(made.lockId),
    detail: made?.replaced === true ? 'a new key for this lock' : '',
  }),
  isOpen: 'not-audited',
  closesAt: 'not-audited',
  pending: 'not-audited',
  stop: 'not-audited',
};

const locks: AuditTable<LockService> = {
  list: 'not-audited',
  get: 'not-audited',
  state: 'not-audited',
  battery: 'not-audited',
  batteryHistory: 'not-audited',
  // A record with the name of the account says that the lock has done it; every other outcome of an unlock is an unlock attempt.
  setBolt: 'not-audited',
  setAutoLock: ([, lockId, seconds]) => ({ action: 'lock-auto-lock', object: ofLock(lockId), detail: `${seconds} s` }),
  detail: 'not-audited',
  rename: ([, lockId, alias]) => ({ action: 'lock-rename', object: ofLock(lockId), detail: alias }),
  changeSettings: ([, lockId, settings]) => ({ action: 'lock-settings', object: ofLock(lockId), detail: said(settings) }),
};

const cards: AuditTable<CardService> = {
  stats: 'not-audited',
  list: 'not-audited',
  detail: 'not-audited',
  add: ([, lockId, { name }], cardId) => ({
    action: 'card-add',
    object: cardId === undefined ? ofLock(lockId) : ofCard(lockId, cardId),
    detail: name,
  }),
  changeValidity: ([, lockId, cardId, { startDate, endDate }]) => ({
    action: 'card-validity',
    object: ofCard(lockId, cardId),
    detail: said({ startDate, endDate }),
  }),
  rename: ([, lockId, cardId, name]) => ({ action: 'card-rename', object: ofCard(lockId, cardId), detail: name }),
  remove: ([, lockId, cardId]) => ({ action: 'card-remove', object: ofCard(lockId, cardId) }),
  onLock: 'not-audited',
  // Part of the removal of a lock, which has its own entry.
  beforeRemoval: 'not-audited',
};

const alarms: AuditTable<Pick<AlarmService, 'list' | 'end'>> = {
  list: 'not-audited',
  end: ([, kind, lockId]) => ({ action: 'alarm-end', object: ofLock(lockId), detail: kind }),
};

// Without addresses and topics, which are for the person alone.
const notifications: AuditTable<NotificationService> = {
  get: 'not-audited',
  change: ([{ username }, changes]) => ({
    action: 'notifications',
    object: `account ${username}`,
    detail: Object.keys(changes).join(', '),
  }),
  confirm: ([{ username }]) => ({ action: 'notifications', object: `account ${username}`, detail: 'address confirmed' }),
  test: ([{ username }, channel]) => ({ action: 'notifications', object: `account ${username}`, detail: `test by ${channel}` }),
  endOf: ([, username]) => ({ action: 'notifications', object: `account ${username}`, detail: 'ended' }),
  failures: 'not-audited',
};

// Without the URL, which may contain a key of the receiver, and without the secret.
const webhooks: AuditTable<WebhookService> = {
  create: ([, { name }], made) => ({
    action: 'webhook-create',
    object: made === undefined ? 'webhook' : ofWebhook(made.webhookId),
    detail: name,
  }),
  list: 'not-audited',
  change: ([, webhookId, changes]) => ({ action: 'webhook-change', object: ofWebhook(webhookId), detail: Object.keys(changes).join(', ') }),
  remove: ([, webhookId]) => ({ action: 'webhook-remove', object: ofWebhook(webhookId) }),
  renewSecret: ([, webhookId]) => ({ action: 'webhook-secret', object: ofWebhook(webhookId) }),
  test: ([, webhookId]) => ({ action: 'webhook-test', object: ofWebhook(webhookId) }),
  deliveries: 'not-audited',
  replay: ([, webhookId, deliveryId]) => ({ action: 'webhook-replay', object: ofWebhook(webhookId), detail: deliveryId }),
};

const homeCode: AuditTable<HomeCodeService> = {
  isSet: 'not-audited',
  set: () => ({ action: 'home-assistant-code', object: 'home-assistant', detail: 'set' }),
  remove: () => ({ action: 'home-assistant-code', object: 'home-assistant', detail: 'removed' }),
  check: 'not-audited',
};

/** Describes the removed lock, because nothing else does so later, and how many cards may still open it. */
function removal(isCleared: boolean, made: Removal | undefined): string {
  if (made === undefined) return isCleared ? 'its cards were to be cleared first' : '';
  const { removed, cardsOnLock } = made;
  const left = isCleared ? 'its cards cleared' : `cards still on it: ${cardsOnLock ?? 'unknown'}`;
  return `${removed.name}, ${removed.deviceId}, ${left}`;
}

function rightsSaid({ gatewayAdministrator, accessManager }: AccountRights): string {
  return [...(gatewayAdministrator ? ['gateway administrator'] : []), ...(accessManager ? ['access manager'] : [])].join(', ');
}

function withRoles(count: number): string {
  if (count === 0) return '';
  return count === 1 ? 'with its role on 1 lock' : `with its roles on ${count} locks`;
}

export function said(members: object): string {
  return Object.entries(members)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

export const auditedRegistrations = (service: RegistrationService, trail: AuditTrail) => audited(service, registrations, trail);
export const auditedRoles = (service: RoleService, trail: AuditTrail) => audited(service, roles, trail);
export const auditedAccounts = (service: AccountService, trail: AuditTrail) => audited(service, accounts, trail);
export const auditedHubs = (service: HubService, trail: AuditTrail) => audited(service, hubs, trail);
export const auditedPairing = (service: FoundDevices, trail: AuditTrail) => audited(service, pairing, trail);
export const auditedLocks = (service: LockService, trail: AuditTrail, attempts: Pick<UnlockAttempts, 'around'>) =>
  attempts.around(audited(service, locks, trail));
export const auditedCards = (service: CardService, trail: AuditTrail) => audited(service, cards, trail);
export const auditedAlarms = (service: Pick<AlarmService, 'list' | 'end'>, trail: AuditTrail) => audited(service, alarms, trail);
export const auditedWebhooks = (service: WebhookService, trail: AuditTrail) => audited(service, webhooks, trail);
export const auditedNotifications = (service: NotificationService, trail: AuditTrail) => audited(service, notifications, trail);
export const auditedHomeCode = (service: HomeCodeService, trail: AuditTrail) => audited(service, homeCode, trail);
