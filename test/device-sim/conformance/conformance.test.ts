// `latchd conformance` in short: what it reports, and what it refuses. Its whole form is `npm run test:conformance`.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allChecks } from '../../../device-sim/conformance/all-checks.ts';
import { type Bench, openBench } from '../../support/conformance-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

test('the page lists every check, with its rule', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../device-sim/conformance/README.md'), 'utf8');
  const rows = [...page.matchAll(/^\| Protocol [\d.]+(?: rule \d+)? \| `[\w-]+` \| .+ \|$/gm)].map(([row]) => row);
  expect(rows.sort()).toEqual(allChecks.map(({ rule, name, title }) => `| ${rule} | \`${name}\` | ${title} |`).sort());
});

test('the report is text, JSON and JUnit: what was held, what came of a broken rule and what was due, and what was not tried and why', async () => {
  const junit = join(bench.folder, 'report.xml');
  const args = ['--only', 'unlock-lock,empty-digest,hub-silent-when-refused', '--junit', junit];
  // Its digest is another one as long as it holds nothing, too.
  const { exitCode, checks, stdout } = await bench.run({ args, profile: { faults: { memory: ['wrong-digest'] } } });
  expect(exitCode).toBe(1);
  expect(checks.map(({ name, rule, verdict }) => [name, rule, verdict])).toEqual([
    ['unlock-lock', 'Protocol 5.1', 'held'],
    ['empty-digest', 'Protocol 4.1', 'broken'],
    ['hub-silent-when-refused', 'Protocol 8 rule 2', 'not-tried'],
  ]);
  expect(stdout).toContain('due:  count 0, digest e3b0c44298fc1c14');
  expect(stdout).toContain('why:  the lock has a connection of its own');
  expect(stdout).toMatch(/^Bench \(020001000001, SN-9 1\.3 6\.5\.07\): 1 held, 1 broken, 1 not tried$/m);
  const xml = await readFile(junit, 'utf8');
  expect(xml).toContain('tests="3" failures="1" skipped="1"');
  expect(xml).toContain('<failure message="count 0, digest ');
  expect((await bench.memory()).autoLockSeconds).toBe(5);
});

describe('nothing is tried', () => {
  const refused = async (args: readonly string[]) => {
    const run = await bench.begin(args);
    return [await run.ended, run.stdout(), run.stderr()];
  };

  test('when the name is not that of the lock, in the arguments or typed', async () => {
    expect(await refused(['--yes-name', 'Front door'])).toEqual([2, '', expect.stringContaining('not its name')]);
    const person = bench.beginAtTerminal([]);
    await person.reads('Type the name of the lock to begin: ');
    person.types('Front door\r');
    await person.reads('not its name');
    expect(await person.ended).toBe(2);
  });

  test('when the token is not of a gateway administrator who is manager of the lock', async () => {
    await bench.api('POST', '/api/v1/gateway/accounts', { username: 'maker', gatewayAdministrator: true });
    const { token } = await bench.api('POST', '/api/v1/gateway/tokens', { username: 'maker', name: 'bench' });
    const file = join(bench.folder, 'maker');
    await writeFile(file, String(token));
    expect(await refused(['--token-file', file])).toEqual([2, '', expect.stringMatching(/manager|lock-not-found/)]);
  });

  test('when there is no such lock, no such check, or no gateway', async () => {
    expect(await refused(['--device', '0200010000ff'])).toEqual([2, '', expect.stringContaining('no lock with the deviceId 0200010000ff')]);
    expect(await refused(['--only', 'frobnicate'])).toEqual([2, '', expect.stringContaining('no check and no rule frobnicate')]);
    expect(await refused(['--gateway', 'http://127.0.0.1:1'])).toEqual([2, '', expect.stringContaining('no answer')]);
  });

  test('when somebody wants a card on it', async () => {
    const other = await openBench({ beside: bench, seed: 2 });
    try {
      const wanted = 'cardNumber=998877&method=regular&cardName=Spare&startDate=0&endDate=0&addType=2&queue=1';
      await other.api('POST', `/api/v1/identity-card/add?lockId=${other.lockId}&${wanted}`);
      const run = await other.begin();
      expect([await run.ended, run.stdout(), run.stderr()]).toEqual([2, '', expect.stringContaining('has 1 cards or passcodes')]);
    } finally {
      await other.close();
    }
  });

  test('when the lock holds a card that nobody knows of', async () => {
    const { exitCode, stderr, checks } = await bench.run({
      args: ['--only', 'unlock-lock'],
      profile: { cards: [{ cardNumber: '998877', startDate: 0, endDate: 0 }] },
    });
    expect([exitCode, checks]).toEqual([2, []]);
    expect(stderr).toContain('it holds 1 cards');
    expect((await bench.memory()).cards).toHaveLength(1);
  });
});
