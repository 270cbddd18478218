// Tables of people and doors through the real daemon: what they say is on the locks, and nothing of a wrong one (HTTP API 12.5).
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSite, type Site, until } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const runs = createRuns();

let site: Site;

beforeAll(async () => {
  const features = ['credentials', 'hours', 'once'];
  site = await openSite({
    locks: [
      { name: 'Front door', features, cardCapacity: 1_000 },
      { name: 'Archive', features },
    ],
  });
});
afterAll(async () => {
  await runs.endAll();
  await site.close();
});

const base = '/api/v1/access';

/** With a text in place of JSON. */
async function send(
  method: string,
  path: string,
  { text, token = site.gateway.token, type = 'text/csv' }: { text?: string; token?: string; type?: string } = {},
) {
  const response = await fetch(`${site.gateway.httpUrl}${base}${path}`, {
    method,
    headers: { ...(token !== '' && { authorization: `Bearer ${token}` }), ...(text !== undefined && { 'content-type': type }) },
    ...(text !== undefined && { body: text }),
  });
  const body = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), text: body, json: () => JSON.parse(body) };
}

interface Plan {
  readonly importId: string;
  readonly plan: string;
  readonly errors: readonly object[];
  readonly people: Readonly<Record<string, number>>;
  readonly locks: readonly object[];
}

const dryRun = async (text: string, query = ''): Promise<Plan> => (await send('POST', `/imports${query}`, { text })).json();

async function apply({ importId, plan }: Plan): Promise<void> {
  const { status } = await site.api('POST', `${base}/imports/${importId}/apply`, { body: { plan } });
  expect(status).toBe(202);
}

async function whenDone({ importId }: Plan) {
  await until(
    async () => ['done', 'stopped'].includes((await site.api('GET', `${base}/imports/${importId}`)).body['state'] as string),
    'the import is done',
  );
  return (await site.api('GET', `${base}/imports/${importId}`)).body;
}

const cardsOf = (number: number) =>
  site
    .lock(number)
    .memory.cards.map(({ cardNumber }) => cardNumber)
    .sort();
const header = (...doors: number[]) =>
  ['Person', 'Name', 'Card Number', 'From', 'To', ...doors.map((number) => `lock:${site.lockId(number)}`)].join(',');
const unchangedOnly = { added: 0, updated: 0, extraneous: 0 };

describe('an import', () => {
  test('is on the locks when it is done, and its export is unchanged', async () => {
    await site.api('POST', `${base}/schedules`, { body: { name: 'Office', hours: [{ days: [1, 2, 3, 4, 5], from: 420, to: 1140 }] } });
    const plan = await dryRun(
      `${header(1, 2)}\nHR-1,Erika M.,5550001,,,Y,Office\nHR-2,"Ole, ""O"" N.",5550002,2026-01-01,2099-12-31,Y,N\n`,
    );
    expect(plan).toMatchObject({
      errors: [],
      people: { added: 2, updated: 0, unchanged: 0, extraneous: 0 },
      locks: [
        { lockId: site.lockId(1), added: 2, removed: 0, different: 0 },
        { lockId: site.lockId(2), added: 1, removed: 0, different: 0 },
      ],
    });
    expect([cardsOf(1), cardsOf(2)]).toEqual([[], []]);
    await apply(plan);
    expect(await whenDone(plan)).toMatchObject({ state: 'done', changes: 2, done: 2, conflictCount: 0 });
    await until(() => cardsOf(1).length === 2 && cardsOf(2).length === 1, 'the cards are on the locks');
    expect([cardsOf(1), cardsOf(2)]).toEqual([['5550001', '5550002'], ['5550001']]);

    for (const separator of ['comma', 'semicolon', 'tab']) {
      const exported = await send('GET', `/export.csv?separator=${separator}`);
      expect([exported.status, exported.type]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
      expect(await dryRun(exported.text, '?absent=revoke')).toMatchObject({
        errors: [],
        people: { ...unchangedOnly, unchanged: 2 },
        locks: [],
      });
    }
  });

  test('with one wrong line changes nothing, and names the line, the column and the reason', async () => {
    const before = (await send('GET', '/export.csv')).text;
    const plan = await dryRun(`${header(1, 2)}\nHR-1,,,,,N,N\nHR-2,,,2026-02-01,2026-01-31,maybe,N\n`);
    expect(plan).toMatchObject({
      importId: null,
      plan: null,
      errors: [
        { line: 3, column: 'To', message: 'is before From' },
        { line: 3, column: `lock:${site.lockId(1)}`, message: 'is not Y, N or the name of a schedule' },
      ],
    });
    expect((await send('GET', '/export.csv')).text).toBe(before);
  });

  test('takes off the locks what it takes away, and leaves what it does not name', async () => {
    const plan = await dryRun(`${header(1)}\nHR-1,,,,,N\n`, '?absent=revoke');
    expect(plan).toMatchObject({ people: { added: 0, updated: 1, unchanged: 0, extraneous: 1 }, removesMoreThanAQuarter: true });
    await apply(plan);
    await whenDone(plan);
    await until(() => cardsOf(1).length === 0, 'both cards are off the front door');
    expect(cardsOf(2)).toEqual(['5550001']);
  });

  test('is refused to whoever may not, before a byte of its body is read', async () => {
    const text = `${header(1)}\nHR-7,New,,,,Y\n`;
    const reception = await site.account('reception');
    expect((await send('POST', '/imports', { text, token: reception })).json()).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await send('POST', '/imports', { text: 'x'.repeat(4_000_000), token: '' })).json()).toMatchObject({ status: 401 });
    expect((await send('POST', '/imports', { text: 'x'.repeat(5_000_000) })).json()).toMatchObject({ code: 'too-large' });
    expect((await send('POST', '/imports', { text, type: 'application/json' })).json()).toMatchObject({ code: 'unsupported-media-type' });
    await site.api('PUT', '/api/v1/gateway/accounts/reception', { body: { gatewayAdministrator: false, accessManager: true } });
    expect((await send('POST', '/imports', { text, token: reception })).json()).toMatchObject({ status: 403, code: 'forbidden' });
    const taking = (await send('POST', '/imports', { text: `${header(2)}\nHR-1,,,,,N\n`, token: reception })).json();
    expect(taking).toMatchObject({ errors: [], people: { updated: 1 } });
    await site.api('PUT', '/api/v1/gateway/accounts/reception', { body: { gatewayAdministrator: false, accessManager: false } });
    const { status } = await site.api('POST', `${base}/imports/${taking.importId}/apply`, {
      body: { plan: taking.plan },
      token: reception,
    });
    expect(status).toBe(403);
  });

  test('is not applied to what has changed since', async () => {
    const plan = await dryRun(`${header(2)}\nHR-1,,,,,N\n`);
    const [erika] = (await site.all(`${base}/people`)) as unknown as readonly { readonly personId: number }[];
    await site.api('PUT', `${base}/people/${erika?.personId}`, { body: { note: 'moved' } });
    const { status, body } = await site.api('POST', `${base}/imports/${plan.importId}/apply`, { body: { plan: plan.plan } });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(cardsOf(2)).toEqual(['5550001']);
  });

  test('is done from the command line, too, and exported there', async () => {
    const file = join(site.folder, 'staff.tsv');
    const latchd = (...args: string[]) => runs.finish(['access', ...args, '--data-dir', site.dataDir]);
    await writeFile(file, `${header(2).replaceAll(',', '\t')}\nHR-3\tZoë\t5550003\t\t\tY\n`);
    expect(await latchd('import', file)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('people: 1 added') });
    expect(cardsOf(2)).toEqual(['5550001']);
    expect(await latchd('import', file, '--apply')).toMatchObject({ exitCode: 0 });
    await until(() => cardsOf(2).length === 2, 'the card is on the archive');
    const { stdout } = await latchd('export', '--separator', 'tab');
    expect(stdout).toContain('HR-3\tZoë\t5550003\t\t\t');
    await writeFile(file, 'Person\tNowhere\nHR-3\tY\n');
    expect(await latchd('import', file, '--apply')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('line 1, Nowhere: is no alias'),
    });
    const gone = await dryRun(`${header(2)}\nHR-3,,,,,N\n`);
    await apply(gone);
    await whenDone(gone);
  });

  test('goes on to its end after a kill at any time, and each person is there once', async () => {
    const people = 300;
    const lines = Array.from({ length: people }, (_, n) => `MANY-${n},Person ${n},${7_000_000 + n},,,Y`);
    const text = `${header(1)}\n${lines.join('\n')}\n`;
    const plan = await dryRun(text);
    expect(plan.people).toMatchObject({ added: people });
    await apply(plan);
    for (const wait of [0, 40, 120]) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      await site.kill9();
      await site.start();
    }
    expect(await whenDone(plan)).toMatchObject({ state: 'done', conflictCount: 0 });
    expect((await site.all(`${base}/people`, {})).length).toBe(people + 3);
    expect((await dryRun(text)).people).toEqual({ added: 0, updated: 0, unchanged: people, extraneous: 3 });
    await until(() => cardsOf(1).length === people, 'all cards are on the lock', 60_000);
    expect((await site.storedNames()).some((name) => name.startsWith('imports/'))).toBe(true);
  });
});
