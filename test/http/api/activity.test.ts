// Activity over HTTP (HTTP API 13.3): pages by cursor, and a table that no spreadsheet takes for formulas.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { lockId } from '../../support/domain.ts';
import { serveDomain } from '../../support/served-domain.ts';

let world: Awaited<ReturnType<typeof serveDomain>>;
beforeAll(async () => {
  world = await serveDomain(() => ({}));
  const at = world.clock.now();
  await world.records.append(
    lockId,
    'e',
    Array.from({ length: 700 }, (_, n) => ({
      ...{
        seq: n + 1,
        type: n % 2 === 0 ? 'card-unlock' : 'passcode-unlock',
        success: n % 7 > 0,
        credential: '0042',
        lockDate: at + n,
        serverDate: at,
      },
      ...{ username: n === 699 ? '=HYPERLINK("http://x")' : n === 698 ? 'a,"b"\u2028c' : `Name ${n}` },
    })),
  );
});
afterAll(() => world.server.stop());

const ask = (query: Record<string, string | number>, headers: Record<string, string> = {}, token = world.tokens.administrator) =>
  request(world.origin).get('/api/v1/activity').query(query).set('Authorization', `Bearer ${token}`).set(headers);

describe('GET /api/v1/activity', () => {
  test('gives page after page by its cursor, each record once, and null at the end', async () => {
    const ids: number[] = [];
    let before = {};
    for (let next: number | null = 1; next !== null; before = { before: next }) {
      const { body } = await ask({ pageSize: 300, ...before }).expect(200);
      ids.push(...body.list.map((line: { recordId: number }) => line.recordId));
      next = body.next;
    }
    expect(ids).toEqual(Array.from({ length: 700 }, (_, n) => 700 - n));
    const { body } = await ask({ pageSize: 1 });
    expect(body.list[0]).toMatchObject({
      ...{ recordId: 700, lockName: 'door 7', lockAlias: 'Door 7', recordType: 'unlock by passcode', keyboardPwd: '****', kind: 'unlock' },
      ...{ lockDateSource: 'lock', personId: null, personName: null, reason: null },
    });
    expect((await ask({}, {}, world.tokens.operator).expect(200)).body).toEqual({ list: [], next: null });
  });

  test('names each wrong parameter', async () => {
    const wrong = { pageSize: 1001, kind: 'open', success: 2, before: 0, startDate: 5, endDate: 4 };
    const { body } = await ask(wrong).expect(400);
    expect(body.errors.map(({ parameter }: { parameter: string }) => parameter).sort()).toEqual(
      Object.keys(wrong)
        .filter((name) => name !== 'startDate')
        .sort(),
    );
  });

  test('is a table for who would rather have one, whole, without a formula, and cut at what a filter leaves', async () => {
    const answer = await ask({}, { Accept: 'application/json;q=0.5, text/csv' }).expect(200);
    expect(answer.headers).toMatchObject({ 'content-type': expect.stringContaining('text/csv'), 'cache-control': 'no-store' });
    const lines = answer.text.split('\r\n');
    expect(lines[0]).toBe(
      '\uFEFFrecordId,lockId,lockName,lockAlias,serverDate,recordType,kind,success,keyboardPwd,lockDate,lockDateSource,username,personId,personName,reason',
    );
    expect([lines.length, lines.at(-1)]).toEqual([702, '']);
    expect(lines[1]).toContain(`,"'=HYPERLINK(""http://x"")",`);
    expect(lines[1]).toContain(`,${new Date(world.clock.now() + 699).toISOString()},lock,`);
    expect(lines[2]).toContain(',"a,""b""\u2028c",');
    const some = await ask({ success: 0 }, { Accept: 'text/csv' }).expect(200);
    expect(some.text.split('\r\n')).toHaveLength(102);
    expect((await ask({ kind: 'x' }, { Accept: 'text/csv' }).expect(400)).body.code).toBe('invalid-parameter');
    expect((await ask({}, { Accept: 'text/html' }).expect(406)).body.code).toBe('not-acceptable');
    expect((await ask({}, { Accept: '*/*' }).expect(200)).body.next).toBe(651);
  });
});
