// The audit action of each method of the service of TTLock logins. Without the callback, which may contain a key of the receiver, and
// without the secrets.
import type { TtlockLoginService } from '../ttlock/ttlock-login-service.ts';
import { type AuditTable, type AuditTrail, audited } from './audit.ts';

const ofLogin = (loginId: number): string => `ttlock-login ${loginId}`;

const logins: AuditTable<TtlockLoginService> = {
  create: ([, { username, name }], made) => ({
    action: 'ttlock-login-create',
    object: made === undefined ? `account ${username}` : ofLogin(made.loginId),
    detail: `${username}: ${name}`,
  }),
  list: 'not-audited',
  change: ([, loginId, changes]) => ({ action: 'ttlock-login-change', object: ofLogin(loginId), detail: Object.keys(changes).join(', ') }),
  renewPassword: ([, loginId]) => ({ action: 'ttlock-login-password', object: ofLogin(loginId) }),
  remove: ([, loginId]) => ({ action: 'ttlock-login-remove', object: ofLogin(loginId) }),
};

export const auditedTtlockLogins = (service: TtlockLoginService, trail: AuditTrail) => audited(service, logins, trail);
