// Who opens a connection to another node when many want to.
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { createTurns } from '../../../src/http/peers/turns.ts';
import { createSettableClock, settled } from '../../support/settable-clock.ts';

function started(most = 2) {
  const clock = createSettableClock();
  const rest = { connections: 0 };
  const turns = createTurns({ clock, most, spare: () => rest.connections });
  const got: string[] = [];
  const leaves: (() => void)[] = [];
  /** Says in `got` how it ends. */
  function take(name: string, { isDoor = false, ms = 4_000, response = new EventEmitter() as ServerResponse } = {}): void {
    void turns.take({ isDoor, until: clock.monotonic() + ms, response }).then((leave) => {
      got.push(leave === undefined ? `${name} gives up` : name);
      if (leave !== undefined) leaves.push(leave);
    });
  }
  return { clock, rest, turns, got, leaves, take };
}

test('beyond so many at a time each waits for the turn of another one to end, doors before all others', async () => {
  const { take, got, leaves, clock } = started();
  for (const name of ['a', 'b', 'c', 'd']) take(name);
  take('door', { isDoor: true });
  await settled();
  expect(got).toEqual(['a', 'b']);
  // One that says twice that it is over makes room once.
  for (const leave of [leaves[0], leaves[0]]) leave?.();
  await settled();
  expect(got).toEqual(['a', 'b', 'door']);
  for (const leave of leaves) leave();
  await settled();
  expect(got).toEqual(['a', 'b', 'door', 'c', 'd']);
  expect(clock.timers()).toBe(0);
});

test('a connection at rest is a turn more', async () => {
  const { take, got, rest, turns } = started();
  for (const name of ['a', 'b', 'c', 'd']) take(name);
  rest.connections = 1;
  turns.look();
  await settled();
  expect(got).toEqual(['a', 'b', 'c']);
});

test('who waits gives up when its client leaves, when its time is over and when there are no turns any more, and holds up nobody', async () => {
  const { take, got, leaves, turns, clock } = started(1);
  const leaving = new EventEmitter() as ServerResponse;
  take('a');
  take('left', { response: leaving });
  take('late', { ms: 500 });
  take('b');
  take('refused');
  leaving.emit('close');
  await clock.advance(500);
  expect(got).toEqual(['a', 'left gives up', 'late gives up']);
  leaves[0]?.();
  await settled();
  turns.refuse();
  await settled();
  expect(got.slice(3)).toEqual(['b', 'refused gives up']);
  expect([clock.timers(), leaving.listenerCount('close')]).toEqual([0, 0]);
});
