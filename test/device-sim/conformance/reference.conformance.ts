// `latchd conformance` with the reference lock in C: the real daemon, the real command, the real program, whose power is cut by SIGKILL.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { allChecks } from '../../../device-sim/conformance/all-checks.ts';
import { lockName, openBench, type ReportedCheck } from '../../support/conformance-bench.ts';
import { until } from '../../support/site.ts';
import { buildReferenceLock, type ReferenceLock } from '../support/reference-lock.ts';

/** What the lock does not offer, or does in a way that leaves nothing to try. */
const notTried = [
  ...allChecks.filter(({ needs }) => needs?.includes('hours')).map(({ name }) => [name, 'the lock does not have the feature hours']),
  ['puback-of-another', 'the lock has one events message under way at a time'],
  ['hub-silent-when-refused', 'the lock has a connection of its own'],
];

/** A person at the lock: cuts its power, and holds a card to its reader or types a code. */
async function standAt(lock: ReferenceLock, url: () => string) {
  const server = createServer(async (request, response) => {
    const [, what, number] = (request.url ?? '').split('/');
    if (what === 'power') {
      await lock.powerCut();
      lock.start(url());
    } else lock.type(what === 'card' ? `swipe ${number}` : `code ${number}`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, close: () => server.close() };
}

test('the reference lock keeps every rule that can be tried on it', async () => {
  const [program, bench] = await Promise.all([buildReferenceLock(), openBench()]);
  const { deviceId, deviceKey } = await bench.api('POST', '/api/v1/gateway/locks', {
    lockMac: 'A4:C1:38:7F:02:E9',
    lockName: `${lockName} 2`,
  });
  const lock = await program.lock(String(deviceId), String(deviceKey), 'mqtt://127.0.0.1:1');
  const report = join(bench.folder, 'reference.json');
  let url = '';
  const person = await standAt(lock, () => url);
  try {
    const atDoor = [
      '--power-command',
      `curl -sf ${person.address}/power`,
      '--swipe-command',
      `curl -sf ${person.address}/$LATCHD_KIND/$LATCHD_NUMBER`,
    ];
    const run = await bench.begin(['--device', String(deviceId), '--yes-name', `${lockName} 2`, '--report', report, ...atDoor]);
    await until(() => {
      const [, port] = /, port (\d+)\./.exec(run.stderr()) ?? [];
      url = `mqtt://127.0.0.1:${port}`;
      return port !== undefined;
    }, 'it says where it listens');
    await lock.powerCut();
    lock.start(url);
    const exitCode = await run.ended;
    process.stdout.write(run.stdout());
    const { checks } = JSON.parse(await readFile(report, 'utf8')) as { checks: readonly ReportedCheck[] };
    expect(checks.filter(({ verdict }) => verdict === 'broken')).toEqual([]);
    const left = checks.filter(({ verdict }) => verdict === 'not-tried').map(({ name, why }) => [name, why]);
    expect(left.sort()).toEqual(notTried.sort());
    expect(exitCode).toBe(0);
    expect(lock.lines.filter((line) => /Sanitizer|runtime error/.test(line))).toEqual([]);
  } finally {
    person.close();
    await program.close();
    await bench.close();
  }
}, 900_000);
