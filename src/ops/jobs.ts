// What is done at certain times of the day, in UTC (node-cron is named here only).
import cron, { type ScheduledTask } from 'node-cron';
import type { Log, Part } from '../domain/part.ts';

export interface Job {
  /** Names it in the log. */
  readonly name: string;
  /** `HH:MM`, in UTC. */
  readonly at: string;
  /** Resolves with what there is to say of it; a rejection is logged, and the job comes again the next day. */
  run(): Promise<object>;
}

/** Runs each job once a day; one that is still running when its time comes again is left alone. `stop` waits for none of them. */
export function createJobs({ jobs, log }: { readonly jobs: readonly Job[]; readonly log: Log }): Part {
  let tasks: ScheduledTask[] = [];

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
      tasks = jobs.map((job) => {
        const [hour, minute] = job.at.split(':');
        return cron.schedule(`${Number(minute)} ${Number(hour)} * * *`, () => runOne(job), {
          timezone: 'UTC',
          noOverlap: true,
          name: job.name,
        });
      });
    },
    async stop() {
      for (const task of tasks.splice(0)) await task.destroy();
    },
  };
}
