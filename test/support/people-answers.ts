// The answers of the services of people, grants and schedules to the samples of their descriptions.
import type { LockId } from '../../src/domain/locks/lock.ts';
import { paginate } from '../../src/domain/page.ts';
import type { StoredImport } from '../../src/domain/people/import-ports.ts';
import type { CredentialId, GrantId, Person, PersonId, Schedule, ScheduleId } from '../../src/domain/people/person.ts';
import type { FakeServices } from './fake-services.ts';

const made = { createdAt: 1_763_715_700_000, createdBy: 'alice' };
const grant = {
  ...{ grantId: 12 as GrantId, lockIds: [7 as LockId], groupIds: [2], scheduleId: 3 as ScheduleId, excluded: [] },
  ...{ startDate: 1_763_000_000_000, endDate: 1_793_000_000_000, ...made },
};
const erika: Person = {
  ...{ personId: 5 as PersonId, externalId: 'HR-4711', name: 'Erika M.', note: '', suspended: false, removed: false, ...made },
  credentials: [
    {
      ...{ credentialId: 12 as CredentialId, kind: 'card', number: '1325672378', width: null, name: 'blue fob' },
      ...{ startDate: 0, endDate: 0, lost: null, once: false, ...made },
    },
  ],
  grants: [grant],
};
const progress = { wanted: 9, onLock: 7, pending: 1, failed: 1, removing: 0, doneDate: null };
const warnings = [{ lockId: 4 as LockId, code: 'not-supported' as const, message: 'has no keypad' }];
const office: Schedule = { scheduleId: 3 as ScheduleId, name: 'Office', hours: [{ days: [1, 2, 3, 4, 5], from: 420, to: 1140 }] };

const importId = '51f0c2a9e4b7d386';
const plan = '9f2c61d0b7a34e58c1f7d2096ab3e4859f2c61d0b7a34e58c1f7d2096ab3e485';
const said = {
  lines: 512,
  counts: { added: 3, updated: 2, unchanged: 507, extraneous: 4 },
  locks: [{ lockId: 7 as LockId, added: 3, removed: 1, different: 2 }],
  removesMoreThanAQuarter: false,
};
const stored: StoredImport = {
  ...{
    importId,
    plan,
    surroundings: plan,
    doors: [],
    absent: 'keep',
    createdAt: 1_763_715_600_000,
    createdBy: 'alice',
    ...said,
    changes: 5,
  },
  ...{ widened: [], state: 'applied', appliedBy: null, changedAt: 1_763_715_660_000, conflictCount: 1, reason: '' },
  conflicts: [{ line: 17, personId: 5 as PersonId, message: 'the person has changed meanwhile' }],
};

/** A table of the samples has an error in its second line when a date in it is before the other. */
export function answerAboutImports(imports: FakeServices['imports']): void {
  imports.exportPeople = async () => 'Person\r\n';
  imports.apply = async () => undefined;
  imports.progress = () => ({ stored, done: 5, of: 5, expireDate: 1_763_802_060_000 });
  imports.dryRun = async (_caller, text) => {
    if (!text.includes('2026-02-01,2026-01-31')) return { plan: { ...said, errors: [], errorCount: 0 }, stored };
    const nothing = { counts: { added: 0, updated: 0, unchanged: 0, extraneous: 0 }, locks: [], removesMoreThanAQuarter: false };
    const errors = [{ line: 2, column: 'To', message: 'is before From' }];
    return { plan: { lines: 1, ...nothing, errors, errorCount: 1 }, stored: null };
  };
}

/** `asked` writes down what a service was asked. */
export function answerAboutPeople(
  { people, grants, schedules }: Pick<FakeServices, 'people' | 'grants' | 'schedules'>,
  asked: <T>(name: string, answer: T) => (...args: readonly unknown[]) => T,
): void {
  const nothing = Promise.resolve();
  const found = { person: erika, grant };
  people.list = (_caller, _search, page) => paginate([erika], page);
  Object.assign(people, {
    get: () => erika,
    create: asked('createPerson', Promise.resolve(erika)),
    change: asked('changePerson', Promise.resolve({ ...erika, suspended: true })),
    putExternal: asked('putExternal', Promise.resolve({ person: erika, isNew: false, made: new Map() })),
    remove: asked('removePerson', nothing),
    addCredential: asked('addCredential', Promise.resolve({ credentialId: 13, passcode: '482913' })),
    removeCredential: asked('removeCredential', nothing),
  });
  grants.list = (_caller, _wanted, page) => paginate([found], page);
  Object.assign(grants, {
    add: asked('addGrant', Promise.resolve({ grantId: 12, locks: 9, warnings })),
    get: async () => ({ ...found, progress }),
    change: asked('changeGrant', Promise.resolve({ ...found, progress, warnings })),
    end: asked('endGrant', Promise.resolve(found)),
  });
  schedules.list = (_caller, page) => paginate([office], page);
  schedules.holidays = () => ['2026-12-25', '2027-01-01'];
  Object.assign(schedules, {
    create: asked('createSchedule', Promise.resolve(office)),
    change: asked('changeSchedule', Promise.resolve(office)),
    remove: asked('removeSchedule', nothing),
    setHolidays: asked('setHolidays', nothing),
  });
}
