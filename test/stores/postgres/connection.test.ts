// What a connection asks of the kernel.
import { Socket } from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { createClock } from '../../../src/platform/clock.ts';
import { connect } from '../../../src/stores/postgres/connection.ts';
import { serverOfRun } from '../../support/postgres-for-run.ts';

test('a connection that is idle is asked every few seconds whether it lives, so that no firewall forgets it and its end is noticed', async () => {
  const made = await (await serverOfRun()).newDatabase();
  const setKeepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
  try {
    const given = { address: made.address, clock: createClock(), applicationName: 'latchd test', writer: '' };
    const connection = await connect({ ...given, password: async () => undefined });
    connection.destroy();
    expect(setKeepAlive.mock.calls).toEqual([[true, 10_000]]);
  } finally {
    setKeepAlive.mockRestore();
    await made.drop();
  }
});
