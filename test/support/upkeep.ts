// The upkeep of the gateway for tests: backups in memory, and the answers to the samples of its descriptions.
import type { Archive, Archives } from '../../src/domain/backups/backup-service.ts';
import { DomainError } from '../../src/domain/errors.ts';
import type { Upkeep } from '../../src/http/api/upkeep-routes.ts';
import type { FakeServices } from './fake-services.ts';

/** Backups in memory: each holds its own name. `fail` makes the next ones fail with that sentence. */
export function createMemoryArchives(now: () => number): Archives & { fail: string | undefined } {
  const made: Archive[] = [];
  return {
    fail: undefined,
    list: async () => made.toReversed(),
    async make(onProgress) {
      onProgress(1_000);
      if (this.fail !== undefined) throw new Error(this.fail);
      const archive = { name: `latchd-2026112${made.length}T023000Z.tar.gz`, madeAt: now(), bytes: 600, beforeUpgrade: false };
      made.push(archive);
      return archive;
    },
    async *encrypted(name, passphrase) {
      if (!made.some((archive) => archive.name === name)) throw new DomainError('not-found', `there is no backup ${name}`);
      yield Buffer.from(`${name} `);
      yield Buffer.from(passphrase);
    },
  };
}

export const noUpkeep = (backups: Upkeep['backups']): Upkeep => ({
  backups,
  warnings: () => [],
  authority: async () => undefined,
  names: () => [],
  isService: false,
});

/** `asked` makes a method that notes its call and gives this answer. */
export function answerAboutUpkeep(
  { upkeep }: Pick<FakeServices, 'upkeep'>,
  asked: <T>(name: string, answer: T) => (...args: readonly unknown[]) => T,
): void {
  const name = 'latchd-20261121T023000Z.tar.gz';
  const begun = { state: 'running' as const, startedAt: 1_763_715_600_000, bytes: 0, name: null, error: null };
  upkeep.backups.begin = asked('beginBackup', begun);
  upkeep.backups.list = async (_caller, { pageNo, pageSize }) => ({
    ...{ list: [{ name, madeAt: 1_763_715_600_000, bytes: 81_920, beforeUpgrade: false }], pageNo, pageSize, pages: 1, total: 1 },
    making: { ...begun, state: 'done', bytes: 1_048_576, name },
  });
  upkeep.names = () => ['gateway.local'];
  upkeep.isService = true;
  upkeep.authority = async () => 'a certificate';
  upkeep.warnings = () => [
    {
      ...{ level: 'error', code: 'job-failed', lockId: null, message: 'a daily job failed', detail: 'job backup' },
      ...{ firstAt: 1_763_715_600_000, lastAt: 1_763_715_600_000, count: 1 },
    },
  ];
}
