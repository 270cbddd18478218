// When a caller hears that a change is done, where other nodes answer from memory.
import { afterEach, expect, test } from '@jest/globals';
import request from 'supertest';
import { DomainError } from '../../../src/domain/errors.ts';
import { createServerUnderTest, sampleToken } from '../../support/fake-services.ts';

type Under = ReturnType<typeof createServerUnderTest>;

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

async function started(settled: () => Promise<void>, standsIn = () => false): Promise<Under> {
  const under = createServerUnderTest(undefined, undefined, undefined, undefined, [], undefined, undefined, { settled }, standsIn);
  under.locks.rename = async () => undefined;
  under.locks.setBolt = async () => ({ success: true });
  under.locks.list = () => ({ list: [], pageNo: 1, pageSize: 20, pages: 0, total: 0 });
  open.push(under.server);
  await under.server.start();
  return under;
}
const token = { authorization: `Bearer ${sampleToken}` };
const rename = (under: Under) => request(under.origin()).put('/api/v1/lock/rename?lockId=7&lockAlias=Front').set(token);

test('a change is answered when every other node knows it', async () => {
  const seen: string[] = [];
  let settle = (): void => undefined;
  const under = await started(() => {
    seen.push('made');
    return new Promise((resolve) => {
      settle = resolve;
    });
  });
  const answered = rename(under).then(({ status }) => void seen.push(`answered ${status}`));
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await request(under.origin()).get('/api/v1/lock/list?pageNo=1&pageSize=20').set(token).expect(200);
  expect(seen).toEqual(['made']);
  settle();
  await answered;
  expect(seen).toEqual(['made', 'answered 200']);
});

test('doors and questions wait for no other node', async () => {
  const under = await started(() => new Promise(() => undefined));
  await request(under.origin()).post('/api/v1/lock/unlock?lockId=7').set(token).expect(200);
  await request(under.origin()).get('/api/v1/lock/list?pageNo=1&pageSize=20').set(token).expect(200);
});

test('a caller hears that nobody knows whether all nodes honour the change', async () => {
  const under = await started(async () => {
    throw new DomainError('storage-unavailable', 'The change was made, but look');
  });
  const { status, body } = await rename(under);
  expect([status, body.code]).toEqual([503, 'storage-unavailable']);
  expect(JSON.stringify(body)).toContain('The change was made, but look');
});

test('a node that stands in opens doors, refuses all else, and does not blame the database for it', async () => {
  const under = await started(
    async () => undefined,
    () => true,
  );
  await request(under.origin()).post('/api/v1/lock/unlock?lockId=7').set(token).expect(200);
  const { status, body } = await rename(under);
  expect([status, body.code]).toEqual([503, 'storage-unavailable']);
  expect(JSON.stringify(under.log.lines)).not.toContain('change-refused');
});
