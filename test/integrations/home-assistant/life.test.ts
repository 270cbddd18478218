// What is done when the broker of Home Assistant comes, speaks and goes, with a broker that only notes what it is asked.
import { describe, expect, test } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { HomeBrokerEvents, HomeMessage } from '../../../src/integrations/home-assistant/broker-port.ts';
import { createHomeLife } from '../../../src/integrations/home-assistant/life.ts';
import { homeTopics } from '../../../src/integrations/home-assistant/topics.ts';
import { createSettableClock } from '../../support/settable-clock.ts';

const topics = homeTopics({ prefix: 'latchd', discoveryPrefix: 'homeassistant', gatewayId: '3f9c0a17' });
const message = (topic: string, payload: string, isRetained = false): HomeMessage => ({ topic, payload: Buffer.from(payload), isRetained });

function createLife({ hasCommands = true } = {}) {
  const clock = createSettableClock();
  const diary: string[] = [];
  const logged: object[] = [];
  const announced = new Set([7]);
  let events = {} as HomeBrokerEvents;
  let isUp = false;
  const note = (line: string) => void diary.push(line);
  const quiet = () => undefined;
  const life = createHomeLife({
    clock,
    log: { debug: quiet, info: (fields) => logged.push(fields), warn: (fields) => logged.push(fields), error: quiet, fatal: quiet },
    random: () => 0.5,
    url: 'mqtts://broker.example.org',
    topics,
    open(statusTopic, given) {
      events = given;
      note(`will ${statusTopic}`);
      return {
        start: () => note('start'),
        stop: async () => note('leave'),
        isUp: () => isUp,
        room: async () => undefined,
        publish(topic, payload, { retain, qos }) {
          note(`${topic}=${payload} ${retain} ${qos}`);
          return isUp;
        },
        subscribe: (filters, { stored }) => note(`subscribe ${filters} ${stored}`),
        unsubscribe: (filters) => note(`unsubscribe ${filters}`),
      };
    },
    announcer: (broker) => ({
      async connected() {
        broker.publish(topics.status, 'online', { retain: true, qos: 1 });
      },
      born: async () => note('born'),
      disconnected: () => note('disconnected'),
      stop: () => note('announcer stops'),
      says: (lockId: LockId) => (announced.has(lockId) ? {} : undefined),
    }),
    commands: hasCommands
      ? () => ({ filters: () => topics.commandFilters, onMessage: ({ topic, payload }) => note(`command ${topic} ${payload}`) })
      : undefined,
    alarms: {
      raise: (kind, _lockId, { reason }) => note(`raise ${kind}: ${reason}`),
      amend: (_kind, _lockId, reason) => note(`amend ${reason}`),
      clear: (kind) => note(`clear ${kind}`),
    },
    offlineAfterMs: 60_000,
  });
  const next = () => diary.splice(0);
  return {
    ...{ life, clock, announced, logged, next },
    up() {
      isUp = true;
      events.onUp();
    },
    down(reason: string, isRefusal = false) {
      isUp = false;
      events.onDown(reason, isRefusal);
    },
    heard: (...given: Parameters<typeof message>) => events.onMessage(message(...given)),
    events: () => events,
  };
}

const away = 'the broker of Home Assistant: nothing answers at its host and port';

describe('the connection to the broker of Home Assistant', () => {
  test('subscribes first, then says everything, and takes away after two seconds what the broker has of locks that are not announced', async () => {
    const { life, clock, next, up, heard } = createLife();
    await life.start();
    expect(next()).toEqual(['will latchd/3f9c0a17/status', 'start']);
    up();
    expect(next()).toEqual([
      'clear home-assistant',
      `subscribe ${['homeassistant/status', topics.status, ...topics.commandFilters].join()} never`,
      'latchd/3f9c0a17/status=online true 1',
      'subscribe homeassistant/device/+/config send',
    ]);
    for (const device of ['latchd_3f9c0a17', 'latchd_3f9c0a17_7', 'latchd_3f9c0a17_8', 'latchd_3f9c0a17_9x', 'latchd_00000000_8', 'other'])
      heard(`homeassistant/device/${device}/config`, '{}', true);
    heard('homeassistant/device/latchd_3f9c0a17_9/config', '', true);
    expect(next()).toEqual([]);
    await clock.advance(2_000);
    expect(next()).toEqual([
      'unsubscribe homeassistant/device/+/config',
      'homeassistant/device/latchd_3f9c0a17_8/config= true 1',
      ...['state', 'online', 'attributes', 'alarms'].map((what) => `latchd/3f9c0a17/8/${what}= true 1`),
    ]);
    expect(life.state()).toEqual({ connected: true, lastError: null, published: 6 });
  });

  test('without commands nothing is subscribed but the birth, and what comes on a topic of commands is left alone', async () => {
    const { life, next, up, heard } = createLife({ hasCommands: false });
    await life.start();
    up();
    expect(next()).toContain('subscribe homeassistant/status,latchd/3f9c0a17/status never');
    heard('latchd/3f9c0a17/7/set', '{}');
    expect(next()).toEqual([]);
  });

  test('a birth is answered one to five seconds later, once in thirty seconds at most, and no birth is lost', async () => {
    const { life, clock, next, up, down, heard } = createLife();
    await life.start();
    up();
    await clock.advance(2_000);
    next();
    heard(topics.birth, 'online');
    heard(topics.birth, 'online');
    heard(topics.birth, 'offline');
    await clock.advance(2_999);
    expect(next()).toEqual([]);
    await clock.advance(1);
    expect(next()).toEqual(['born']);
    heard(topics.birth, 'online');
    await clock.advance(29_999);
    expect(next()).toEqual([]);
    await clock.advance(1);
    expect(next()).toEqual(['born']);
    await clock.advance(60_000);
    heard(topics.birth, 'online');
    down('it ended the connection');
    await clock.advance(10_000);
    expect(next()).toEqual(['disconnected']);
  });

  test('when another gateway of the same id, from which it was restored, says offline, everything is said again', async () => {
    const { life, clock, next, up, heard } = createLife();
    await life.start();
    up();
    await clock.advance(2_000);
    next();
    heard(topics.status, 'online', true);
    await clock.advance(60_000);
    expect(next()).toEqual([]);
    heard(topics.status, 'offline', true);
    await clock.advance(5_000);
    expect(next()).toEqual(['born']);
  });

  test('is an alarm after its time without a broker, said in the log once for each reason, and ends with the broker', async () => {
    const { life, clock, next, up, down, logged } = createLife();
    await life.start();
    for (let times = 0; times < 3; times++) down('nothing answers at its host and port');
    await clock.advance(59_999);
    expect(next().filter((line) => line.startsWith('raise'))).toEqual([]);
    await clock.advance(1);
    expect(next()).toEqual([`raise home-assistant: ${away}`]);
    expect(logged).toEqual([
      { code: 'home-assistant-away', url: 'mqtts://broker.example.org', reason: 'nothing answers at its host and port' },
    ]);
    expect(life.state()).toMatchObject({ connected: false, lastError: 'nothing answers at its host and port' });
    up();
    expect(next()).toContain('clear home-assistant');
    expect(life.state().lastError).toBeNull();
    down('it ended the connection');
    await clock.advance(30_000);
    up();
    await clock.advance(60_000);
    expect(next().filter((line) => line.startsWith('raise'))).toEqual([]);
  });

  test('a refusal is an alarm at once, with its reason, also while the alarm stands', async () => {
    const { life, clock, next, down } = createLife();
    await life.start();
    next();
    down('it refuses the user name or the password', true);
    const why = 'the broker of Home Assistant: it refuses the user name or the password';
    expect(next()).toEqual(['disconnected', `raise home-assistant: ${why}`, `amend ${why}`]);
    await clock.advance(60_000);
    next();
    down('it does not know version 5 of MQTT', true);
    expect(next()).toContain('amend the broker of Home Assistant: it does not know version 5 of MQTT');
  });

  test('what the broker refuses is said in the state and, once a minute, in the log; commands beyond all measure are left out', async () => {
    const { life, next, up, logged, heard, events } = createLife();
    await life.start();
    up();
    events().onPublishRefused('latchd/3f9c0a17/status', 'Not authorized');
    events().onRefused(['homeassistant/status']);
    expect(life.state().lastError).toBe('it does not let the gateway subscribe to homeassistant/status');
    next();
    for (const lockId of [7, 8, 9]) for (let times = 0; times < 2_100; times++) heard(`latchd/3f9c0a17/${lockId}/set`, '{}');
    const ofLocks = next().map((line) => line.split('/')[2]);
    expect([7, 8, 9].map((lockId) => ofLocks.filter((of) => of === `${lockId}`).length)).toEqual([2_000, 2_000, 0]);
    expect(logged.map((line) => (line as { code: string }).code)).toEqual([
      ...['home-assistant-connected', 'home-assistant-denied', 'home-assistant-flooded'],
    ]);
  });

  test('ends by itself: the announcer first, then the connection, and no timer stays', async () => {
    const { life, clock, next, up, heard } = createLife();
    await life.start();
    up();
    heard(topics.birth, 'online');
    next();
    await life.stop();
    expect([next(), clock.timers()]).toEqual([['announcer stops', 'leave'], 0]);
  });
});
