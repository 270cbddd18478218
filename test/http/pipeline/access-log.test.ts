// Which requests leave a line in the log.
import { expect, test } from '@jest/globals';
import { createAccessLog } from '../../../src/http/pipeline/access-log.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

test('of a flood of requests without a token 1,000 are logged, then 100 a second, and the number of the others; requests with a token are all logged', async () => {
  const clock = createSettableClock();
  const lines: { level: string; fields: object }[] = [];
  const to = (level: string) => (fields: object) => void lines.push({ level, fields });
  const log = { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error'), fatal: to('fatal') };
  const write = createAccessLog({ log, clock });
  const line = {
    requestId: 'x',
    method: 'GET',
    path: '/',
    known: true,
    isOpen: false,
    isForwarded: false,
    parameters: {},
    status: 401,
    code: 'token-invalid',
    ms: 1,
  };
  const ask = (count: number, account?: string) => {
    for (let n = 0; n < count; n++) write({ ...line, account });
  };
  ask(3_000);
  expect(lines).toHaveLength(1_000);
  ask(500, 'alice');
  expect(lines).toHaveLength(1_500);
  await clock.advance(1_000);
  ask(300);
  expect(lines).toHaveLength(1_601);
  expect(lines[1_500]).toEqual({ level: 'warn', fields: { code: 'requests-not-logged', unwritten: 2_000 } });
});
