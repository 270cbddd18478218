// The weekly hours of schedules as the text that locks get.
import { hoursText } from './hours.ts';
import type { ScheduleStore } from './people-ports.ts';
import type { Schedule, ScheduleId } from './person.ts';

/** As the schedule is now; undefined: there is no such schedule. */
export type HoursOfSchedule = (scheduleId: number) => string | undefined;

export function createHoursOfSchedule(schedules: Pick<ScheduleStore, 'get'>): HoursOfSchedule {
  const texts = new WeakMap<Schedule, string>();
  return (scheduleId) => {
    const schedule = schedules.get(scheduleId as ScheduleId);
    if (schedule === undefined) return undefined;
    const known = texts.get(schedule);
    if (known !== undefined) return known;
    const text = hoursText(schedule.hours);
    texts.set(schedule, text);
    return text;
  };
}
