// Jobs that run at certain times of the day, in UTC (only this file names node-cron).
import cron, { type ScheduledTask } from 'node-cron';
import type { Clock } from '../domain/clock.ts';
import type { Log, Part } from '../domain/part.ts';

export interface Job {
  /** The job's name in the log. */
  readonly name: string;
  /** `HH:MM`, in UTC. */
  readonly at: string;
  /** Resolves with the members for the log line; a rejection is logged, and the job runs again the next day. */
  run(): Promise<object>;
}

const lookMs = 60_000;
/** If the clock differs by more than this from the time that has really passed, somebody has set it. */
const jumpMs = 30_000;

/** Runs each job once a day; skips a job that is still running. `stop` waits for none of them. */
export function createJobs(options: { readonly jobs: readonly Job[]; readonly log: Log; readonly clock: Clock }): Part {
  const { jobs, log, clock } = options;
  let tasks: ScheduledTask[] = [];
  let cancelLook: (() => void) | undefined;

  async function runOne({ name, run }: Job): Promise<void> {
    try {
      log.info({ code: 'job-done', job: name, ...(await run()) }, 'a daily job is done');
    } catch (error) {
      log.error({ code: 'job-failed', job: name, err: error }, 'a daily job failed; it comes again tomorrow');
    }
  }

  return {
    name: 'jobs',
    async start() {
      schedule();
      look(clock.now(), clock.monotonic());
    },
    async stop() {
      cancelLook?.();
      unschedule();
    },
  };

  function schedule(): void {
    tasks = jobs.map((job) => {
      const [hour, minute] = job.at.split(':');
      const settings = { timezone: 'UTC', noOverlap: true, name: job.name };
      return cron.schedule(`${Number(minute)} ${Number(hour)} * * *`, () => runOne(job), settings);
    });
  }

  function unschedule(): void {
    for (const task of tasks.splice(0)) void task.destroy();
  }

  /** node-cron waits for an instant that it has computed before: if the clock is set back by a year, it would wait for that year. */
  function look(wallAt: number, monotonicAt: number): void {
    cancelLook = clock.timer(lookMs, () => {
      const [wall, monotonic] = [clock.now(), clock.monotonic()];
      if (Math.abs(wall - wallAt - (monotonic - monotonicAt)) > jumpMs) {
        unschedule();
        schedule();
      }
      look(wall, monotonic);
    });
  }
}
