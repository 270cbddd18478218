// Each protocol of a make against a simulated device of that make, which was written from the maker's page alone: whatever goes wrong, a door
// that is said to be open is open.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createNuki } from '../../device-sim/devices/nuki.ts';
import { createNukiHub } from '../../device-sim/devices/nuki-hub.ts';
import { createShelly } from '../../device-sim/devices/shelly.ts';
import type { CommandOutcome } from '../../src/domain/locks/lock-command.ts';
import { nuki } from '../../src/drivers/nuki/nuki.ts';
import { nukiHub } from '../../src/drivers/nuki-hub/nuki-hub.ts';
import { shelly } from '../../src/drivers/shelly/shelly.ts';
import { type DeviceMeeting, meetDevice } from '../support/device-meeting.ts';

const prefix = 'shellyplus1-a8032abe54dc';
const makes = {
  nuki: { meet: () => meetDevice(nuki, { nukiId: '2BB28570' }, createNuki, '2BB28570'), command: /lockAction / },
  'nuki-hub': { meet: () => meetDevice(nukiHub, { base: 'nukihub' }, createNukiHub, 'nukihub'), command: /lock\/action / },
  shelly: { meet: () => meetDevice(shelly, { prefix, contact: 0 }, createShelly, prefix, '02e70059d86b'), command: /Switch\.Set/ },
} as const;
const each = Object.entries(makes).map(([name, make]) => ({ name, ...make }));

const deadlineMs = 10_000;

/** Past everything that a device does after a connect before it takes commands. */
function online({ meet }: { readonly meet: () => DeviceMeeting }, ...faults: readonly string[]): DeviceMeeting {
  const meeting = meet();
  for (const { faults: known } of meeting.device.doors) for (const name of faults) known.set(name, true);
  meeting.connect();
  meeting.time.advance(8_000);
  return meeting;
}

function outcomeOf(meeting: DeviceMeeting, op: 'lock' | 'unlock', ttlMs = deadlineMs): CommandOutcome | undefined {
  let ended: CommandOutcome | undefined;
  meeting.ask(op, ttlMs, (outcome) => {
    ended = outcome;
  });
  meeting.time.advance(ttlMs);
  return ended;
}

describe.each(each)('a simulated $name', (make) => {
  const door = (meeting: DeviceMeeting) => meeting.device.doors[0];

  test('comes online, unlocks and locks, and is believed', () => {
    const meeting = online(make);
    expect(meeting.isOnline()).toBe(true);
    expect(outcomeOf(meeting, 'unlock')).toMatchObject({ kind: 'ok', state: 'unlocked' });
    meeting.time.advance(60_000);
    expect(outcomeOf(meeting, 'lock')).toMatchObject({ kind: 'ok', state: 'locked' });
    expect(door(meeting)?.bolt()).toBe('locked');
  });

  test('that says nothing gets no second command, and nobody is told that it has opened', () => {
    const meeting = online(make);
    door(meeting)?.faults.set('silent', true);
    expect(outcomeOf(meeting, 'unlock')?.kind).not.toBe('ok');
    meeting.time.advance(120_000);
    expect(meeting.sent.filter((line) => make.command.test(line))).toHaveLength(1);
  });

  const jammed = {
    nuki: { kind: 'refused', error: 'jammed' },
    'nuki-hub': { kind: 'refused', error: 'jammed' },
    shelly: { kind: 'no-reply' },
  };
  test('that is jammed is not said to be open', () => {
    expect(outcomeOf(online(make, 'jam'), 'unlock')).toMatchObject(jammed[make.name as keyof typeof jammed]);
  });

  test('tells of a hand at the door and of the door, and again of both after it was away', () => {
    const meeting = online(make);
    door(meeting)?.turn();
    meeting.time.advance(1_000);
    door(meeting)?.moveDoor(true);
    meeting.time.advance(10_000);
    const types = meeting.effects.flatMap((effect) =>
      effect.kind === 'event' ? [effect.event.type] : effect.kind === 'numbered' ? effect.events.map(({ type }) => type) : [],
    );
    expect(types).toEqual(expect.arrayContaining(['inside-unlock', 'door-open']));
    const states = meeting.effects.filter(({ kind }) => kind === 'state');
    expect(states.at(-1)).toMatchObject({ state: door(meeting)?.bolt() });
  });

  const faultNames = [...(make.meet().device.doors[0]?.faults.known.keys() ?? [])];
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('unlock', 'lock'), ttlMs: fc.integer({ min: 500, max: 12_000 }) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.integer({ min: 1, max: 20_000 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('turn', 'code', 'open', 'close', 'reconnect') }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('fault'), name: fc.constantFrom(...faultNames), on: fc.boolean() }) },
  );

  test('whatever goes wrong in whatever order: what is said to be done is done, and each command is sent once', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        const meeting = online(make);
        let asked = 0;
        for (const given of steps) {
          if ('ttlMs' in given && !meeting.isBusy()) {
            const op = given.do === 'unlock' ? 'unlock' : 'lock';
            asked += 1;
            meeting.ask(op, given.ttlMs, (outcome) => {
              if (outcome.kind !== 'ok') return;
              expect([...meeting.boltSinceAsked]).toContain(op === 'unlock' ? 'unlocked' : 'locked');
            });
          }
          if ('ms' in given) meeting.time.advance(given.ms);
          if ('name' in given) door(meeting)?.faults.set(given.name, given.on);
          if (given.do === 'turn') door(meeting)?.turn();
          if (given.do === 'code') door(meeting)?.enterCode('589472');
          if (given.do === 'open' || given.do === 'close') door(meeting)?.moveDoor(given.do === 'open');
          if (given.do === 'reconnect') {
            meeting.disconnect();
            meeting.connect();
          }
        }
        expect(meeting.sent.filter((line) => make.command.test(line)).length).toBeLessThanOrEqual(asked);
      }),
      { numRuns: 300 },
    );
  });
});
