// What the doctor says of a daemon that shares a database with others, by what the daemon says of itself.
import { expect, test } from '@jest/globals';
import { checkDaemon, isWaiting } from '../../../src/admin/doctor/daemon.ts';

const cluster = (role: string, leader: string | null, serving: readonly string[]) => ({ name: 'box-2', role, leader, serving });

test.each([
  [
    'leads',
    { ready: true, since: 0, cluster: cluster('serving', 'box-2', ['box-1', 'box-2']) },
    'ok process 7 is ready, since 1970-01-01T00:00:00.000Z',
  ],
  [
    'passes on what it is asked',
    { ready: true, cluster: cluster('serving', 'box-1', ['box-1', 'box-2']) },
    'ok process 7 serves through box-1, which leads',
  ],
  [
    'opens doors for one that is silent',
    { ready: true, cluster: cluster('serving', 'box-1', ['box-2']) },
    'warn process 7 opens doors for box-1, which gives no sign',
  ],
  ['waits', { ready: false, cluster: cluster('waiting', 'box-1', ['box-1']) }, 'ok process 7 waits: box-1 serves'],
  ['starts', { ready: false, cluster: cluster('starting', null, []) }, 'fail process 7 starts and waits for the database'],
])('of one that %s', (_title, said, verdict) => {
  const daemon = { pid: 7, uid: 0, answer: { version: '0.1.0', ...said }, silence: undefined };
  const [found] = checkDaemon(daemon, { version: '0.1.0', isOutsider: false, isMoved: false });
  expect(`${found?.verdict} ${found?.seen}`).toBe(verdict);
  expect(isWaiting(daemon)).toBe(said.cluster.leader === 'box-1');
});
