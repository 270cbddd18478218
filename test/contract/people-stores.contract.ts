// What the stores of people and of schedules promise.
import { describe, expect, test } from '@jest/globals';
import type { PersonStore, ScheduleStore } from '../../src/domain/people/people-ports.ts';
import type { CredentialId, GrantId, PersonId, ScheduleId } from '../../src/domain/people/person.ts';
import { lockId, samplePerson, sampleSchedule } from '../stores/files/support/samples.ts';
import type { RunOver } from './adapters.ts';

export function personStoreContract(over: RunOver<PersonStore>): void {
  describe('a PersonStore', () => {
    const [first, second] = [samplePerson(1), samplePerson(2)];
    const bare = { credentials: [], grants: [] };

    test('finds people by id, external id, credential, grant, card number, lock, group and schedule', () =>
      over(async (people) => {
        await people.add(second);
        await people.add(first);
        expect(people.all()).toEqual([first, second]);
        expect(people.all()).toBe(people.all());
        expect([people.get(second.personId), people.byExternalId('HR-2')]).toEqual([second, second]);
        expect([people.byCredential(4 as CredentialId), people.byGrant(2 as GrantId)]).toEqual([second, second]);
        expect(people.byCardNumbers(['5550002', '9', '5550002'])).toEqual([{ person: second, credential: second.credentials[0] }]);
        expect(people.reaching(lockId(7), 2)).toEqual([second, first]);
        expect([people.reaching(lockId(8), 2).length, people.reaching(lockId(8), 3).length]).toEqual([2, 0]);
        expect(people.onSchedule(1 as ScheduleId)).toEqual([second, first]);
      }));

    test('finds no passcode among the cards', () =>
      over(async (people) => {
        await people.add(first);
        expect(people.byCardNumbers([first.credentials[1]?.number ?? ''])).toEqual([]);
      }));

    test('changes the newest version of a person, whatever was asked for meanwhile, and every way to find it follows', () =>
      over(async (people) => {
        await people.add(first);
        const named = people.update(first.personId, (one) => ({ ...one, name: 'new' }));
        const emptied = people.update(first.personId, (one) => ({ ...one, ...bare, externalId: 'X' }));
        expect(await named).toMatchObject({ name: 'new', externalId: 'HR-1' });
        expect(await emptied).toEqual({ ...first, ...bare, name: 'new', externalId: 'X' });
        expect([people.byExternalId('HR-1'), people.byExternalId('X')?.name]).toEqual([undefined, 'new']);
        expect([people.byCredential(1 as CredentialId), people.byGrant(1 as GrantId)]).toEqual([undefined, undefined]);
        expect([people.byCardNumbers(['5550001']), people.reaching(lockId(7), 2), people.onSchedule(1 as ScheduleId)]).toEqual([
          [],
          [],
          [],
        ]);
      }));

    test('finds a removed person by everything but the external id, which may be given again', () =>
      over(async (people) => {
        await people.add(first);
        await people.update(first.personId, (one) => ({ ...one, removed: true }));
        await people.add(samplePerson(2, { externalId: 'HR-1' }));
        await people.update(first.personId, (one) => ({ ...one, note: 'gone' }));
        expect(people.byExternalId('HR-1')?.personId).toBe(2);
        expect(people.byCredential(1 as CredentialId)?.note).toBe('gone');
        await people.remove(first.personId);
        expect([people.byExternalId('HR-1')?.personId, people.get(first.personId), people.all().length]).toEqual([2, undefined, 1]);
      }));

    test('rejects what is not there, and what the change throws, and changes nothing', () =>
      over(async (people) => {
        await people.add(first);
        await expect(people.update(9 as PersonId, (one) => one)).rejects.toMatchObject({ code: 'not-found' });
        await expect(people.remove(9 as PersonId)).rejects.toMatchObject({ code: 'not-found' });
        const refused = people.update(first.personId, () => {
          throw new RangeError('no');
        });
        await expect(refused).rejects.toThrow('no');
        expect(people.all()).toEqual([first]);
      }));
  });
}

export function scheduleStoreContract(over: RunOver<ScheduleStore>): void {
  describe('a ScheduleStore', () => {
    test('stores schedules by their ids, replaces and removes them, and has the holidays', () =>
      over(async (schedules) => {
        const [first, second] = [sampleSchedule(1), sampleSchedule(2)];
        expect([schedules.all(), schedules.holidays()]).toEqual([[], []]);
        await schedules.put(second);
        await Promise.all([schedules.put(first), schedules.setHolidays(['2026-12-25', '2027-01-01'])]);
        expect(schedules.all()).toEqual([first, second]);
        expect(schedules.all()).toBe(schedules.all());
        await schedules.put({ ...first, name: 'new' });
        expect(schedules.get(first.scheduleId)).toEqual({ ...first, name: 'new' });
        await schedules.remove(second.scheduleId);
        expect([schedules.all().length, schedules.holidays()]).toEqual([1, ['2026-12-25', '2027-01-01']]);
        await expect(schedules.remove(second.scheduleId)).rejects.toMatchObject({ code: 'not-found' });
      }));
  });
}
