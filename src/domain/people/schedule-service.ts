// Schedules of the week, and holidays (HTTP API 12.4). Everybody may read them, gateway administrators change them.
import type { Caller } from '../accounts/account.ts';
import { requireGatewayAdministrator } from '../accounts/permissions.ts';
import type { CounterStore } from '../counters.ts';
import type { DirectSchedules } from '../credentials/direct-schedules.ts';
import { DomainError } from '../errors.ts';
import { createMutex } from '../mutex.ts';
import { type Page, type PageRequest, paginate } from '../page.ts';
import type { LocalPeopleView, ScheduleStore } from './people-ports.ts';
import type { Schedule, ScheduleId } from './person.ts';

const schedulesAtMost = 100;

/** Changes reject with `forbidden` for who is no gateway administrator, and with `not-found`. */
export interface ScheduleService {
  list(caller: Caller, page: PageRequest): Page<Schedule>;
  create(caller: Caller, given: Omit<Schedule, 'scheduleId'>): Promise<Schedule>;
  /** An absent member stays. Its grants, and the passcodes that were put on locks with it, hold at the new hours from now on. */
  change(caller: Caller, scheduleId: ScheduleId, changes: Partial<Omit<Schedule, 'scheduleId'>>): Promise<Schedule>;
  /** `conflict` while a grant has it, or a passcode that was put on a lock directly. */
  remove(caller: Caller, scheduleId: ScheduleId): Promise<void>;
  holidays(caller: Caller): readonly string[];
  /** In any order. */
  setHolidays(caller: Caller, dates: readonly string[]): Promise<void>;
}

export function createScheduleService(options: {
  readonly schedules: ScheduleStore;
  readonly people: Pick<LocalPeopleView, 'onSchedule'>;
  readonly counters: Pick<CounterStore, 'next'>;
  readonly direct: DirectSchedules;
}): ScheduleService {
  const { schedules, people, counters, direct } = options;
  const inTurn = createMutex();

  function requireSchedule(scheduleId: ScheduleId): Schedule {
    const found = schedules.get(scheduleId);
    if (found === undefined) throw new DomainError('not-found', `there is no schedule ${scheduleId}`);
    return found;
  }

  return {
    list: (_caller, page) => paginate(schedules.all(), page),
    async create(caller, given) {
      requireGatewayAdministrator(caller);
      return inTurn(async () => {
        if (schedules.all().length >= schedulesAtMost) throw new DomainError('conflict', `there are ${schedulesAtMost} schedules at most`);
        const schedule = { scheduleId: (await counters.next('scheduleId')) as ScheduleId, ...given };
        await schedules.put(schedule);
        return schedule;
      });
    },
    async change(caller, scheduleId, changes) {
      requireGatewayAdministrator(caller);
      return inTurn(async () => {
        const schedule = { ...requireSchedule(scheduleId), ...changes };
        await schedules.put(schedule);
        return schedule;
      });
    },
    async remove(caller, scheduleId) {
      requireGatewayAdministrator(caller);
      await inTurn(async () => {
        requireSchedule(scheduleId);
        const lockIds = await direct.locksWith(scheduleId);
        if (lockIds.length > 0) throw new DomainError('conflict', `passcodes of ${lockIds.length} locks have schedule ${scheduleId}`);
        const users = people.onSchedule(scheduleId).length;
        if (users > 0) throw new DomainError('conflict', `grants of ${users} people have schedule ${scheduleId}`);
        await schedules.remove(scheduleId);
      });
    },
    holidays: () => schedules.holidays(),
    async setHolidays(caller, dates) {
      requireGatewayAdministrator(caller);
      await schedules.setHolidays([...new Set(dates)].sort());
    },
  };
}
