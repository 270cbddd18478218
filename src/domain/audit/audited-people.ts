// The audit action of each method of the services of people, grants and schedules. No card number and no passcode gets here.
import type { GrantService } from '../people/grant-service.ts';
import type { DryRun, ImportService } from '../people/import-service.ts';
import type { GivenGrant } from '../people/new-grant.ts';
import type { PeopleService } from '../people/people-service.ts';
import type { CredentialId, GrantId, PersonId, ScheduleId } from '../people/person.ts';
import type { ScheduleService } from '../people/schedule-service.ts';
import { type AuditTable, type AuditTrail, audited } from './audit.ts';

const ofPerson = (personId: PersonId): string => `person ${personId}`;
const ofCredential = (personId: PersonId, credentialId: CredentialId): string => `credential ${credentialId} of person ${personId}`;
const ofGrant = (grantId: GrantId): string => `grant ${grantId}`;
const ofSchedule = (scheduleId: ScheduleId): string => `schedule ${scheduleId}`;

const people: AuditTable<PeopleService> = {
  create: ([, { name }], made) => ({
    action: 'person-create',
    object: made === undefined ? 'person' : ofPerson(made.personId),
    detail: name,
  }),
  list: 'not-audited',
  get: 'not-audited',
  change: ([, personId, changes]) => ({ action: 'person-change', object: ofPerson(personId), detail: changed(changes) }),
  putExternal: ([, externalId, { credentials, grants }], put) => ({
    action: 'person-put',
    object: put === undefined ? 'person' : ofPerson(put.person.personId),
    detail: `${externalId}: ${credentials.length} credentials, ${grants.length} grants`,
  }),
  remove: ([, personId]) => ({ action: 'person-remove', object: ofPerson(personId) }),
  addCredential: ([, personId, { kind, name }], made) => ({
    action: 'credential-add',
    object: made === undefined ? ofPerson(personId) : ofCredential(personId, made.credentialId),
    detail: name === '' ? kind : `${kind}: ${name}`,
  }),
  removeCredential: ([, personId, credentialId]) => ({ action: 'credential-remove', object: ofCredential(personId, credentialId) }),
};

const grants: AuditTable<GrantService> = {
  add: ([, personId, given], made) => ({
    action: 'grant-add',
    object: made === undefined ? ofPerson(personId) : `${ofGrant(made.grantId)} of ${ofPerson(personId)}`,
    detail: granted(given),
  }),
  list: 'not-audited',
  get: 'not-audited',
  change: ([, grantId, changes]) => ({ action: 'grant-change', object: ofGrant(grantId), detail: granted(changes) }),
  end: ([, grantId]) => ({ action: 'grant-end', object: ofGrant(grantId) }),
  // Parts of what a person decides about an entry, which has its own line.
  exclude: 'not-audited',
  adopt: 'not-audited',
};

const schedules: AuditTable<ScheduleService> = {
  list: 'not-audited',
  create: ([, { name }], made) => ({
    action: 'schedule-create',
    object: made === undefined ? 'schedule' : ofSchedule(made.scheduleId),
    detail: name,
  }),
  change: ([, scheduleId, changes]) => ({
    action: 'schedule-change',
    object: ofSchedule(scheduleId),
    detail: Object.keys(changes).join(', '),
  }),
  remove: ([, scheduleId]) => ({ action: 'schedule-remove', object: ofSchedule(scheduleId) }),
  holidays: 'not-audited',
  setHolidays: ([, dates]) => ({ action: 'holidays-set', object: 'holidays', detail: `${dates.length} days` }),
};

const imports: AuditTable<ImportService> = {
  dryRun: ([, , absent], made) => ({
    action: 'import-plan',
    object: made?.stored == null ? 'dry run' : `import ${made.stored.importId}`,
    detail: made === undefined ? absent : planned(made.plan, absent),
  }),
  apply: ([, importId, plan]) => ({ action: 'import-apply', object: `import ${importId}`, detail: `plan ${plan.slice(0, 16)}` }),
  progress: 'not-audited',
  exportPeople: 'not-audited',
};

function planned({ counts, errorCount }: DryRun['plan'], absent: string): string {
  if (errorCount > 0) return `${errorCount} errors`;
  return `${absent}: ${counts.added} added, ${counts.updated} updated, ${counts.extraneous} extraneous`;
}

/** Suspending and its end are what one looks for later; the other members are named. */
function changed(changes: Parameters<PeopleService['change']>[2]): string {
  return Object.entries(changes)
    .map(([name, value]) => (name === 'suspended' ? `suspended ${value}` : name))
    .join(', ');
}

function granted({ lockIds, groupIds, startDate, endDate, scheduleId }: Partial<GivenGrant>): string {
  return Object.entries({ locks: lockIds?.join(' '), groups: groupIds?.join(' '), startDate, endDate, schedule: scheduleId })
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
    .slice(0, detailAtMost);
}

/** A grant of a thousand locks is not told whole. */
const detailAtMost = 500;

export const auditedPeople = (service: PeopleService, trail: AuditTrail) => audited(service, people, trail);
export const auditedGrants = (service: GrantService, trail: AuditTrail) => audited(service, grants, trail);
export const auditedImports = (service: ImportService, trail: AuditTrail) => audited(service, imports, trail);
export const auditedSchedules = (service: ScheduleService, trail: AuditTrail) => audited(service, schedules, trail);
