// The audit action of each method of the services of what locks hold: entries, passcodes, losses, readers, and the questions of the day after.
// No card number and no passcode gets here.
import type { AccessQuestions } from '../access/questions.ts';
import type { CardId } from '../credentials/card.ts';
import type { EntryService } from '../credentials/entry-service.ts';
import type { PasscodeVia } from '../credentials/passcode.ts';
import type { PasscodeService } from '../credentials/passcode-service.ts';
import type { LockId } from '../locks/lock.ts';
import type { EnrolmentService } from '../readers/enrolment-service.ts';
import type { SuggestionService } from '../readers/suggestion-service.ts';
import type { RevocationService } from '../revocations/revocation-service.ts';
import { type AuditTable, type AuditTrail, audited } from './audit.ts';
import { ofLock, said } from './audited-services.ts';

const ofPasscode = (lockId: LockId, passcodeId: CardId): string => `passcode ${passcodeId} of lock ${lockId}`;
/** Of what is not done at once. */
const later = (via: PasscodeVia): string => (via === 'queue' ? ', as soon as the lock can' : '');

const entries: AuditTable<EntryService> = {
  list: 'not-audited',
  check: ([, lockId]) => ({ action: 'entry-check', object: ofLock(lockId) }),
  decide: ([, lockId, entryId, { do: what }]) => ({ action: `entry-${what}`, object: `entry ${entryId} of lock ${lockId}` }),
  compare: 'not-audited',
  resume: () => ({ action: 'access-resume', object: 'access' }),
};

const passcodes: AuditTable<PasscodeService> = {
  list: 'not-audited',
  // Whoever has read a code may use it, so each reading is noted.
  listWithCodes: ([, lockId]) => ({ action: 'passcode-read', object: ofLock(lockId) }),
  detail: ([, lockId, passcodeId]) => ({ action: 'passcode-read', object: ofPasscode(lockId, passcodeId) }),
  add: ([, lockId, { name, type }, via], made) => ({
    action: 'passcode-add',
    object: made === undefined ? ofLock(lockId) : ofPasscode(lockId, made.passcodeId),
    detail: `${name === '' ? '' : `${name}: `}${type}${later(via)}`,
  }),
  change: ([, lockId, passcodeId, { startDate, endDate, scheduleId }, via]) => ({
    action: 'passcode-change',
    object: ofPasscode(lockId, passcodeId),
    detail: said({ startDate, endDate, ...(scheduleId !== undefined && { scheduleId: scheduleId ?? 0 }) }) + later(via),
  }),
  rename: ([, lockId, passcodeId, name]) => ({ action: 'passcode-rename', object: ofPasscode(lockId, passcodeId), detail: name }),
  remove: ([, lockId, passcodeId, via]) => ({
    action: 'passcode-remove',
    object: ofPasscode(lockId, passcodeId),
    detail: later(via).slice(2),
  }),
};

const questions: AuditTable<AccessQuestions> = {
  who: 'not-audited',
  where: 'not-audited',
  records: 'not-audited',
  completeness: 'not-audited',
};

// Without numbers: a revocation has an id, and an enrolled card is a credential.
const revocations: AuditTable<RevocationService> = {
  lost: ([, credentialId, reason]) => ({ action: 'credential-lost', object: `credential ${credentialId}`, detail: reason }),
  lostCard: ([, , reason], made) => ({
    action: 'card-lost',
    object: made === undefined ? 'card' : `revocation ${made.revocation.revocationId}`,
    detail: reason,
  }),
  found: ([, credentialId]) => ({ action: 'credential-found', object: `credential ${credentialId}` }),
  foundCard: () => ({ action: 'card-found', object: 'card' }),
  ofCredential: 'not-audited',
  report: 'not-audited',
};

const suggestions: AuditTable<SuggestionService> = {
  list: 'not-audited',
  accept: ([, suggestionId], made) => ({
    action: 'reader-turn',
    object: made === undefined ? `suggestion ${suggestionId}` : ofLock(made.lockId),
  }),
};

const enrolments: AuditTable<EnrolmentService> = {
  begin: ([, { lockId, personId, seconds }]) => ({
    action: 'enrolment-begin',
    object: ofLock(lockId),
    detail: `person ${personId}, ${seconds} s`,
  }),
  get: 'not-audited',
  confirm: (_asked, credentialId) => ({
    action: 'enrolment-confirm',
    object: credentialId === undefined ? 'enrolment' : `credential ${credentialId}`,
  }),
  end: () => ({ action: 'enrolment-end', object: 'enrolment' }),
};

export const auditedPasscodes = (service: PasscodeService, trail: AuditTrail) => audited(service, passcodes, trail);
export const auditedEntries = (service: EntryService, trail: AuditTrail) => audited(service, entries, trail);
export const auditedQuestions = (service: AccessQuestions, trail: AuditTrail) => audited(service, questions, trail);
export const auditedRevocations = (service: RevocationService, trail: AuditTrail) => audited(service, revocations, trail);
export const auditedSuggestions = (service: SuggestionService, trail: AuditTrail) => audited(service, suggestions, trail);
export const auditedEnrolments = (service: EnrolmentService, trail: AuditTrail) => audited(service, enrolments, trail);
