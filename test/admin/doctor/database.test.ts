// What the doctor says of a database, each fault planted in what was found; and of one that cannot be asked.
import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { checkDatabase, judgeDatabase } from '../../../src/admin/doctor/database.ts';
import { nodeFiles } from '../../../src/stores/files/files.ts';
import type { DatabaseFacts } from '../../../src/stores/postgres/inspection.ts';
import { withDirectory } from '../../stores/files/support/directory.ts';

const standby = { name: 'box_2', isSynchronous: true, behindBytes: 0 };
const well: DatabaseFacts = {
  ...{ version: '15.18', majorVersion: 15, user: 'latchd', owner: 'latchd', isOwner: true, encoding: 'UTF8', tls: 'TLSv1.3' },
  ...{ synchronousCommit: 'on', fsync: 'on', fullPageWrites: 'on', demandedStandbys: 1, standbys: [standby] },
  ...{ clockAheadMs: 0, bytes: 12_000_000, dataDirectory: null, steps: { missing: [], unknown: [] }, closedFor: undefined },
  nodes: [
    { name: 'box-1', serving: true, leaseMs: 30_000, isAlive: true },
    { name: 'box-2', serving: false, leaseMs: 30_000, isAlive: true },
  ],
  lostNodes: [],
};
const place = { tls: true, database: 'doors', isHere: false };

const judged = (facts: Partial<DatabaseFacts>, at: Partial<typeof place> = {}) => judgeDatabase({ ...well, ...facts }, { ...place, ...at });
const sick = (facts: Partial<DatabaseFacts>, at: Partial<typeof place> = {}) => judged(facts, at).filter(({ verdict }) => verdict !== 'ok');

test('a database in order is said to be so, in four lines', () => {
  expect(judged({}).map(({ verdict, seen }) => `${verdict} ${seen}`)).toEqual([
    'ok PostgreSQL 15.18 answers latchd, encrypted (TLSv1.3), and its certificate is verified',
    'ok what it acknowledges is on its disk',
    'ok what it acknowledges is at box_2 as well',
    'ok box-1 leads, box-2 does not lead',
  ]);
});

describe('what is wrong with it has one line, with what to do', () => {
  const faults: readonly [fault: string, facts: Partial<DatabaseFacts>, verdict: 'fail' | 'warn', seen: RegExp, remedy: RegExp][] = [
    ['too old', { version: '14.9', majorVersion: 14 }, 'fail', /14\.9 is too old/, /needs 15 or newer/],
    ['an encoding', { encoding: 'LATIN1' }, 'fail', /encoding is LATIN1/, /ENCODING 'UTF8'/],
    ['an owner', { isOwner: false, owner: 'root' }, 'fail', /belongs to root, not to latchd/, /ALTER DATABASE doors OWNER TO latchd/],
    ['closed', { closedFor: './data' }, 'fail', /moved to \.\/data/, /name that in store/],
    ['without data', { steps: undefined, nodes: [] }, 'warn', /no data of latchd/, /latchd serve/],
    [
      'of a newer latchd',
      { steps: { missing: [], unknown: ['of tomorrow'] } },
      'fail',
      /newer latchd.*"of tomorrow"/,
      /install that version/,
    ],
    ['of an older latchd', { steps: { missing: ['carried'], unknown: [] } }, 'warn', /older latchd: carried/, /the next start/],
    ['fsync', { fsync: 'off' }, 'fail', /^fsync is off/, /fsync = on/],
    ['full pages', { fullPageWrites: 'off' }, 'fail', /^full_page_writes is off/, /full_page_writes = on/],
    ['commits', { synchronousCommit: 'off' }, 'fail', /^synchronous_commit is off/, /synchronous_commit = on/],
    ['local commits', { synchronousCommit: 'local' }, 'warn', /may not be at the standby/, /synchronous_commit = on/],
    ['no standby', { demandedStandbys: 0, standbys: [] }, 'warn', /no synchronous standby.*on one disk/, /give it one/],
    ['a missing standby', { demandedStandbys: 1, standbys: [] }, 'fail', /waits for 1 .* and 0 are connected/, /start the standby again/],
    ['unseen standbys', { standbys: null }, 'warn', /may not see/, /GRANT pg_read_all_stats TO latchd/],
    ['a late standby', { standbys: [{ ...standby, behindBytes: 70_000_000 }] }, 'warn', /box_2 is 70 MB behind/, /network between them/],
    ['a clock', { clockAheadMs: -12_000 }, 'warn', /^its clock is 12 s behind/, /NTP/],
    ['a wrong clock', { clockAheadMs: 61_000 }, 'fail', /^its clock is 61 s ahead of .*not ready/, /NTP/],
    [
      'a silent node',
      { nodes: well.nodes.map((one) => ({ ...one, isAlive: one.serving })) },
      'warn',
      /^box-2 does not lead, and gives no sign/,
      /30 s of silence/,
    ],
    ['nobody', { nodes: [] }, 'warn', /^no node leads/, /systemctl start latchd/],
    ['a lost node', { lostNodes: ['box-3'] }, 'warn', /^box-3 was put out of service/, /start latchd there again/],
  ];
  test.each(faults)('%s', (_fault, facts, verdict, seen, remedy) => {
    expect(sick(facts)).toEqual([{ verdict, seen: expect.stringMatching(seen), remedy: expect.stringMatching(remedy) }]);
  });

  test('in the clear to another machine, not on this one', () => {
    expect(sick({ tls: null }, { tls: false })).toEqual([
      { verdict: 'warn', seen: expect.stringMatching(/in the clear/), remedy: expect.stringMatching(/sslmode=disable/) },
    ]);
    expect(sick({ tls: null }, { tls: false, isHere: true })).toEqual([]);
  });
});

describe('one that cannot be asked', () => {
  const store = 'postgres://latchd@127.0.0.1:1/latchd';

  test('is a failure with the reason of each host', async () => {
    const verdicts = await checkDatabase({ store, storePasswordFile: undefined }, nodeFiles(), false);
    expect(verdicts).toMatchObject([
      { verdict: 'fail', seen: expect.stringMatching(/^it does not answer: 127\.0\.0\.1:1: .*ECONNREFUSED/) },
    ]);
  });

  test('is none of the business of a gateway with files', async () => {
    expect(await checkDatabase({ store: 'files', storePasswordFile: undefined }, nodeFiles(), false)).toEqual([]);
  });

  test('for want of its password is a failure, or cannot be told by somebody else', () =>
    withDirectory(async (directory) => {
      const missing = `${directory}/no.password`;
      const asked = (isOutsider: boolean) => checkDatabase({ store, storePasswordFile: missing }, nodeFiles(), isOutsider);
      expect(await asked(false)).toMatchObject([{ verdict: 'fail', seen: expect.stringContaining(`${missing} cannot be read`) }]);
      expect(await asked(true)).toMatchObject([{ verdict: 'warn', seen: expect.stringContaining('cannot tell as this user') }]);
      await writeFile(missing, '\n');
      expect(await asked(false)).toMatchObject([{ verdict: 'fail', seen: expect.stringContaining('has no first line') }]);
    }));
});
