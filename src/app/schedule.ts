// What the gateway does once a day, by itself.

import type { AccountService } from '../domain/accounts/account-service.ts';
import type { Clock } from '../domain/clock.ts';
import type { Emit } from '../domain/event-bus.ts';
import type { Log, Part } from '../domain/part.ts';
import { createJobs } from '../platform/jobs.ts';
import type { Backups } from '../stores/files/backup/backups.ts';
import type { StoreMaintenance } from '../stores/files/store-maintenance.ts';
import type { Config } from './config.ts';

export function createSchedule(options: {
  readonly config: Pick<Config, 'retention' | 'backup'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly maintenance: Pick<StoreMaintenance, 'sealDays' | 'purge'>;
  readonly accounts: Pick<AccountService, 'forgetExpired'>;
  readonly backups: Backups;
  readonly emit: Emit;
}): Part {
  const { config, clock, log, maintenance, accounts, backups, emit } = options;

  async function seal(): Promise<object> {
    await maintenance.sealDays();
    return {};
  }
  async function retention(): Promise<object> {
    const outcome = await maintenance.purge(clock.now(), config.retention.records);
    return { ...outcome, expiredTokens: outcome.clockIsSuspect ? 0 : await accounts.forgetExpired() };
  }
  async function backup(): Promise<object> {
    try {
      const made = await backups.make({ reason: 'scheduled' });
      emit('backup-ended', { failure: undefined });
      return { ...made };
    } catch (error) {
      emit('backup-ended', { failure: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  return createJobs({
    clock,
    log,
    jobs: [
      // A minute after the end of the day, so that its last records are stored.
      { name: 'seal', at: '00:01', run: seal },
      { name: 'retention', at: config.retention.at, run: retention },
      ...(config.backup.at === 'off' ? [] : [{ name: 'backup', at: config.backup.at, run: backup }]),
    ],
  });
}
