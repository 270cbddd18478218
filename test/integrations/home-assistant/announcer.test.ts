import { describe, expect, it } from '@jest/globals';
import type { LockId } from '../../../src/domain/locks/lock.ts';
import type { LockEvent } from '../../../src/domain/locks/lock-report.ts';
import { callers, createDomain, type Domain, lockId, otherLockId, someLock, stays } from '../../support/domain.ts';
import { ok } from '../../support/fake-link.ts';
import { createHome, gatewayId, type Published } from '../../support/home-announced.ts';
import { entitiesOf } from '../../support/home-assistant-rules.ts';
import { render, shown } from '../../support/home-assistant-templates.ts';

const monitored = ['bolt', 'battery', 'problem', 'tamper', 'connected', 'who'];
const commanded = ['lock', 'battery', 'problem', 'tamper', 'connected', 'who', 'auto_lock', 'end_alarm'];

async function setUp(options: Parameters<typeof createHome>[1] = {}) {
  const domain = await createDomain();
  // It answers whatever is no door command at once.
  domain.link.reply(lockId, ({ op }) => (op === 'lock' || op === 'unlock' ? undefined : ok));
  domain.reports.hello(lockId, { state: 'locked', battery: 83, autoLockTime: 5, firmwareRevision: '6.0.12', modelNum: 'SN280' });
  const home = createHome(domain, options);
  await home.announcer.connected();
  let seq = 0;
  const tell = async (event: Partial<LockEvent>) => {
    seq += 1;
    await domain.reports.events(lockId, { epoch: 'e', events: [{ seq, type: 'card-unlock', ...event }] });
    await home.quiet();
  };
  return { domain, home, tell };
}

const retainedOf = ({ retained }: { readonly retained: ReadonlyMap<string, string> }, id: number) =>
  [...retained.keys()].filter((topic) => topic.includes(`/${id}/`) || topic.includes(`_${id}/`));
const ofTopic = ({ published }: { readonly published: readonly Published[] }, ending: string) =>
  published.flatMap(({ topic }, at) => (topic.endsWith(ending) ? [at] : []));

describe('what Home Assistant is told that there is', () => {
  it('is each lock on which the account has a role, then what they say, and that the gateway is online at the very end', async () => {
    const { home } = await setUp();
    const configs = ofTopic(home, '/config');
    const states = [...ofTopic(home, '/state'), ...ofTopic(home, '/online')];
    expect(configs.length).toBe(3);
    expect(Math.max(...configs)).toBeLessThan(Math.min(...states));
    expect(home.published.at(-1)).toEqual({ topic: `latchd/${gatewayId}/status`, text: 'online', retain: true, qos: 1 });
    expect(home.published.every(({ retain, qos }) => retain && qos === 1)).toBe(true);
    expect([...home.retained.keys()].sort()).toEqual(
      [
        ...['', '_7', '_8'].map((ending) => `homeassistant/device/latchd_${gatewayId}${ending}/config`),
        ...[7, 8].flatMap((id) => ['alarms', 'attributes', 'online', 'state'].map((what) => `latchd/${gatewayId}/${id}/${what}`)),
        ...['state', 'status'].map((what) => `latchd/${gatewayId}/${what}`),
      ].sort(),
    );
    expect(home.announcer.announcedLocks()).toBe(2);
  });

  it('follows the rules of Home Assistant in every mode and role, with and without a code, and a mode takes away what the other one made', async () => {
    const { domain, home } = await setUp();
    const looksOn = home.device(7);
    expect(entitiesOf(looksOn)).toEqual(monitored);
    expect(looksOn).toMatchObject({
      device: {
        ...{ identifiers: [`latchd_${gatewayId}_7`], connections: [['mac', 'a4:c1:38:7f:02:e7']], name: 'Door 7', manufacturer: 'latchd' },
        ...{ model: 'SN280', sw_version: '6.0.12', via_device: `latchd_${gatewayId}` },
      },
      origin: { name: 'latchd', sw_version: '1.4.0', support_url: 'https://gateway.local:8443/docs' },
      availability: [{ topic: `latchd/${gatewayId}/status` }, { topic: `latchd/${gatewayId}/7/online` }],
      availability_mode: 'all',
      components: {
        bolt: { device_class: 'lock', name: null, json_attributes_topic: `latchd/${gatewayId}/7/attributes` },
        problem: { json_attributes_topic: `latchd/${gatewayId}/7/alarms` },
        connected: { availability: [{ topic: `latchd/${gatewayId}/status` }], state_topic: `latchd/${gatewayId}/7/online` },
      },
    });
    expect(looksOn.device).not.toHaveProperty('suggested_area');
    expect(looksOn.components).toMatchObject({
      lock: { platform: 'lock' },
      auto_lock: { platform: 'number' },
      end_alarm: { platform: 'button' },
    });

    const other = createHome(domain, { takesCommands: true });
    await other.announcer.connected();
    const moves = other.device(7);
    expect(entitiesOf(moves)).toEqual(commanded);
    expect(moves.components['bolt']).toEqual({ platform: 'binary_sensor' });
    expect(Object.keys(moves.components).sort()).toEqual(Object.keys(looksOn.components).sort());
    expect(moves.components['lock']).toMatchObject({
      message_expiry_interval: 5,
      retain: false,
      qos: 0,
      unique_id: `latchd_${gatewayId}_7_lock`,
    });
    expect(moves.components['lock']).not.toHaveProperty('code_format');
    expect(moves.components['lock']).not.toHaveProperty('payload_open');
    other.setCode(true);
    await other.quiet();
    expect(other.device(7).components['lock']?.['code_format']).toBe('^\\d{4,9}$');
    const later = other.published.length;
    other.setCode(true);
    await other.quiet();
    expect(other.published.length).toBe(later);

    for (const [key, component] of [...Object.entries(looksOn.components), ...Object.entries(moves.components)])
      if (Object.keys(component).length > 1) expect(component['unique_id']).toBe(`latchd_${gatewayId}_7_${key}`);
    const gateway = home.device();
    expect(entitiesOf(gateway)).toEqual(['connected', 'problem', 'version']);
    expect(gateway.components['connected']).not.toHaveProperty('availability');
    expect(gateway).not.toHaveProperty('availability');

    const operator = createHome(domain, { account: 'ole', takesCommands: true });
    await operator.announcer.connected();
    expect(operator.retained.get(`homeassistant/device/latchd_${gatewayId}_7/config`)).not.toMatch(/json_attributes_topic/);
    expect(operator.announcer.announcedLocks()).toBe(1);
  });

  it('asks for exactly what the gateway takes: a date in milliseconds, and a code only when one was typed', async () => {
    const { domain } = await setUp();
    const home = createHome(domain, { takesCommands: true });
    await home.announcer.connected();
    const { lock, auto_lock: autoLock, end_alarm: endAlarm } = home.device(7).components;
    const clock_ms = 1_763_800_000_123;
    const bolt = String(lock?.['command_template']);
    const texts = render([
      ...[null, '1234', '"}, \'<'].map((code) => ({ template: bolt, variables: { value: 'UNLOCK', code, clock_ms } })),
      { template: bolt, variables: { value: 'LOCK', code: '', clock_ms } },
      { template: String(autoLock?.['command_template']), variables: { value: 5, clock_ms } },
      { template: String(endAlarm?.['command_template']), variables: { value: endAlarm?.['payload_press'], clock_ms } },
    ]);
    expect(texts.map((text) => JSON.parse(text))).toEqual([
      { do: 'UNLOCK', at: clock_ms },
      { do: 'UNLOCK', at: clock_ms, code: '1234' },
      { do: 'UNLOCK', at: clock_ms, code: '"}, \'<' },
      { do: 'LOCK', at: clock_ms },
      { seconds: 5, at: clock_ms },
      { do: 'SEEN', at: clock_ms },
    ]);
  });

  it('says the same of a lock after it was renamed, grouped or updated, but for that', async () => {
    const { domain, home } = await setUp();
    const before = home.device(7);
    home.published.length = 0;
    await domain.lockService.rename(callers.administrator, lockId, 'Back entrance');
    await domain.registrationService.change(callers.admin, lockId, { groupName: 'Ground floor' });
    domain.reports.properties(lockId, { firmwareRevision: '6.0.13' });
    await home.quiet();
    expect(home.device(7)).toEqual({
      ...before,
      device: { ...before.device, name: 'Back entrance', suggested_area: 'Ground floor', sw_version: '6.0.13' },
    });
    expect(new Set(home.published.map(({ topic }) => topic))).toEqual(new Set([`homeassistant/device/latchd_${gatewayId}_7/config`]));
  });

  it('follows the role of the account: less is said to an operator, nothing to a stranger, and all of it again to who returns', async () => {
    const { domain, home } = await setUp({ account: 'max' });
    expect(retainedOf(home, 7).length).toBe(5);
    await domain.roleService.grant(callers.administrator, lockId, 'max', 'operator');
    await home.quiet();
    expect([home.says(7, 'attributes'), home.says(7, 'alarms'), home.says(7, 'online')]).toEqual([undefined, undefined, 'online']);
    expect(home.announcer.says(lockId)).toEqual({ role: 'operator' });
    home.published.length = 0;

    await domain.roleService.revoke(callers.administrator, lockId, 'max');
    expect(home.announcer.says(lockId)).toBeUndefined();
    await home.quiet();
    expect(home.published.map(({ topic, text, retain }) => [topic.split('/').at(-1), text, retain])).toEqual(
      ['config', 'state', 'online', 'attributes', 'alarms'].map((what) => [what, '', true]),
    );
    expect(retainedOf(home, 7)).toEqual([]);
    home.announcer.refused(lockId, { reason: 'forbidden' });
    expect(home.heard(7, 'refused')).toEqual([]);

    await domain.roleService.grant(callers.administrator, lockId, 'max', 'manager');
    await home.quiet();
    expect(retainedOf(home, 7).length).toBe(5);
  });

  it('is the gateway alone until there is an account of that name, and whatever that gets from then on', async () => {
    const { domain, home } = await setUp({ account: 'home-assistant' });
    expect([...home.retained.keys()]).toEqual([
      `homeassistant/device/latchd_${gatewayId}/config`,
      `latchd/${gatewayId}/state`,
      `latchd/${gatewayId}/status`,
    ]);
    const rights = { gatewayAdministrator: false, accessManager: false };
    await domain.accountService.createAccount(callers.admin, 'home-assistant', rights);
    await domain.roleService.grant(callers.administrator, lockId, 'home-assistant', 'manager');
    await home.quiet();
    expect(home.says(7, 'online')).toBe('online');
    // Its role cannot be taken off the lock now, and counts for nobody.
    domain.storage.fails = (write) => write === 'locks.update';
    const gone = domain.accounts.byName('home-assistant');
    await domain.accounts.remove(gone?.accountId ?? callers.stranger.accountId, domain.clock.now());
    await home.quiet();
    expect(retainedOf(home, 7)).toEqual([]);
  });

  it('is a lock more as soon as one is registered', async () => {
    const { domain, home } = await setUp();
    await domain.locks.add(someLock({ lockId: 9 as LockId, alias: 'Attic' }));
    await home.quiet();
    expect(home.device(9).device).toMatchObject({ name: 'Attic' });
    expect(retainedOf(home, 9).length).toBe(5);
  });

  it('loses a lock that was removed, with all that was said of it, whenever the broker is there to hear it', async () => {
    const { domain, home } = await setUp();
    await domain.registrationService.remove(callers.admin, otherLockId);
    await home.quiet();
    expect(retainedOf(home, 8)).toEqual([]);
    // The connection may have ended before the broker had heard all of that.
    for (const times of [5, 0]) {
      home.announcer.disconnected();
      home.published.length = 0;
      await home.announcer.connected();
      expect(home.published.filter(({ text }) => text === '').length).toBe(times);
    }
    home.announcer.disconnected();
    home.published.length = 0;
    await domain.registrationService.remove(callers.admin, lockId);
    await home.quiet();
    expect(home.published).toEqual([]);
    await home.announcer.connected();
    expect(retainedOf(home, 7)).toEqual([]);
    expect(home.announcer.announcedLocks()).toBe(0);
  });
});

describe('what a lock says to Home Assistant', () => {
  it('is what it said last to the gateway, with all seven members, and null for what it never said', async () => {
    const { domain, home } = await setUp();
    const { bolt, battery } = home.device(7).components;
    const { stateAt } = domain.statuses.get(lockId);
    expect(home.says(7, 'state')).toEqual({
      ...{ lock: 'LOCKED', battery: 83, door: null, problem: 'OFF', tamper: 'OFF', autoLock: 5 },
      at: new Date(stateAt ?? 0).toISOString(),
    });
    const never = { lock: null, battery: null, door: null, problem: 'OFF', tamper: 'OFF', autoLock: null, at: null };
    expect(home.says(8, 'state')).toEqual(never);
    expect([home.says(7, 'online'), home.says(8, 'online')]).toEqual(['online', 'offline']);
    expect(shown(battery?.['value_template'], [never])).toEqual(['None']);
    const states = ['LOCKED', 'UNLOCKED', 'UNLOCKING', 'LOCKING', 'JAMMED', null].map((lock) => ({ ...never, lock }));
    expect(shown(bolt?.['value_template'], states)).toEqual(['LOCKED', 'UNLOCKED', 'UNLOCKED', 'UNLOCKED', 'UNLOCKED', 'None']);

    home.published.length = 0;
    domain.reports.state(lockId, { state: 'unlocked' });
    domain.reports.battery(lockId, { level: 82 });
    await home.quiet();
    expect(home.heard(7, 'state')).toMatchObject([{ lock: 'UNLOCKED', battery: 82 }]);
    domain.link.lose(lockId);
    domain.reports.offline(lockId, 'it left');
    await home.quiet();
    expect(home.says(7, 'online')).toBe('offline');
    expect(home.says(7, 'state')).toMatchObject({ lock: 'UNLOCKED' });
    await domain.locks.update(lockId, (lock) => ({ ...lock, autoLockSeconds: 9 }));
    await home.quiet();
    expect(home.says(7, 'state')).toMatchObject({ autoLock: 9 });
  });

  it('is that its bolt moves while a command of anybody is under way, and then what it said itself: nothing is assumed', async () => {
    const { domain, home } = await setUp();
    const move = async (wanted: 'locked' | 'unlocked') => {
      const moved = domain.lockService.setBolt(callers.operator, lockId, wanted, stays());
      await home.quiet();
      return moved.catch(() => undefined);
    };
    home.published.length = 0;
    const unlocked = domain.lockService.setBolt(callers.operator, lockId, 'unlocked', stays());
    await home.quiet();
    expect(home.heard(7, 'state')).toMatchObject([{ lock: 'UNLOCKING' }]);
    domain.link.sent.at(-1)?.answer({ kind: 'ok', state: 'unlocked' });
    await unlocked;
    await home.quiet();
    expect(home.heard(7, 'state')).toMatchObject([{ lock: 'UNLOCKED' }]);

    const locked = domain.lockService.setBolt(callers.operator, lockId, 'locked', stays()).catch(() => undefined);
    await home.quiet();
    expect(home.heard(7, 'state')).toMatchObject([{ lock: 'LOCKING' }]);
    await domain.clock.advance(11_000);
    await locked;
    await home.quiet();
    expect(home.heard(7, 'state')).toMatchObject([{ lock: 'UNLOCKED' }]);
    // An answer without a state does not make it locked.
    domain.link.reply(lockId, () => ok);
    await move('locked');
    await home.quiet();
    expect(home.says(7, 'state')).toMatchObject({ lock: 'UNLOCKED' });
  });

  it('is its alarms: a jam as the state of the lock, a tamper, a problem, and their kinds for managers', async () => {
    const { domain, home, tell } = await setUp();
    await tell({ type: 'jammed' });
    await domain.clock.advance(2_000);
    await home.quiet();
    expect(home.says(7, 'state')).toMatchObject({ lock: 'JAMMED', problem: 'ON', tamper: 'OFF' });
    await tell({ type: 'tamper' });
    await domain.clock.advance(2_000);
    await home.quiet();
    expect(home.says(7, 'state')).toMatchObject({ problem: 'ON', tamper: 'ON' });
    expect(home.says(7, 'alarms')).toEqual({ alarms: ['jammed', 'tampered'] });
    await domain.alarms.end(callers.manager, 'tampered', lockId);
    await home.quiet();
    expect([home.says(7, 'state'), home.says(7, 'alarms')]).toMatchObject([{ tamper: 'OFF' }, { alarms: ['jammed'] }]);
    domain.alarms.raise('storage-unavailable', null, { reason: 'the disk is full' });
    await domain.clock.advance(2_000);
    expect(JSON.parse(home.retained.get(`latchd/${gatewayId}/state`) ?? '')).toEqual({ problem: 'ON', version: '1.4.0' });
  });

  it('is a door once its sensor has told of one, also after a start, and never what an older event says', async () => {
    const { domain, home, tell } = await setUp();
    expect(home.device(7).components).not.toHaveProperty('door');
    await tell({ type: 'door-open' });
    const { door } = home.device(7).components;
    expect(shown(door?.['value_template'], [home.says(7, 'state')])).toEqual([door?.['payload_on']]);
    home.published.length = 0;
    await tell({ type: 'door-close', seq: 5 });
    expect(home.published.filter(({ topic }) => topic.endsWith('/config'))).toEqual([]);
    await tell({ type: 'door-open', seq: 4 });
    expect(home.says(7, 'state')).toMatchObject({ door: 'closed' });
    const next = createHome(domain);
    await next.announcer.connected();
    expect(entitiesOf(next.device(7))).toContain('door');
    expect(next.says(7, 'state')).toMatchObject({ door: 'closed' });
  });

  it('is who did what last, for managers; of an attempt that was refused, that it was', async () => {
    const { home, tell } = await setUp();
    expect(home.says(7, 'attributes')).toEqual({ last_action: null, last_user: null, last_at: null, record_id: null });
    await tell({ type: 'card-unlock', username: 'Spare card', credential: '1325672378' });
    expect(home.says(7, 'attributes')).toMatchObject({ last_action: 'unlock by IC card', last_user: 'Spare card', record_id: 1 });
    await tell({ type: 'card-unlock', success: false, credential: '1325672378' });
    expect(home.says(7, 'attributes')).toMatchObject({ last_action: 'unlock by IC card, refused', last_user: null, record_id: 2 });
  });
});

describe('an event for Home Assistant', () => {
  const told = async (events: readonly Partial<LockEvent>[], account = 'ada') => {
    const { domain, home, tell } = await setUp({ account });
    home.published.length = 0;
    for (const event of events) await tell(event);
    return { domain, home, published: home.published.filter(({ topic }) => topic.endsWith('/event')) };
  };
  const bodies = (published: readonly Published[]) => published.map(({ text }) => JSON.parse(text));

  it('is what has just happened, by its type and method, never retained, and never with a number of a card or a passcode', async () => {
    const { published, home } = await told([
      { type: 'card-unlock', username: 'Spare card', credential: '1325672378' },
      { type: 'passcode-unlock', success: false, credential: '24680', reason: 'not-valid-now' },
      ...[
        'auto-lock',
        'inside-lock',
        'key-unlock',
        'door-open',
        'door-close',
        'tamper',
        'duress',
        'jammed',
        'low-battery',
        'of its own',
      ].map((type) => ({ type })),
    ]);
    expect(published.every(({ retain, qos }) => !retain && qos === 1)).toBe(true);
    expect(JSON.stringify(published)).not.toMatch(/1325672378|24680/);
    expect(bodies(published)[0]).toEqual({
      ...{ event_type: 'unlock', method: 'IC card', user: 'Spare card', success: true, record_id: 1 },
      at: expect.stringMatching(/^2026-11-21T/),
    });
    expect(bodies(published).map(({ event_type: type, method, success }) => [type, method, success])).toEqual([
      ['unlock', 'IC card', true],
      ['refused', 'passcode', false],
      ['lock', 'auto lock', true],
      ['lock', 'from inside', true],
      ['unlock', 'mechanical key', true],
      ['door_opened', 'door opened', true],
      ['door_closed', 'door closed', true],
      ['tamper', 'tamper alert', true],
      ['duress', 'duress alarm', true],
      ['jammed', 'jammed', false],
      ['other', 'low battery', true],
      ['other', 'of its own', true],
    ]);
    const types = home.device(7).components['who']?.['event_types'];
    for (const { event_type: type } of bodies(published)) expect(types).toContain(type);
  });

  it('names nobody to an operator', async () => {
    const { published } = await told([{ username: 'Spare card' }], 'ole');
    expect(bodies(published)).toMatchObject([{ event_type: 'unlock', user: null, method: 'IC card' }]);
  });

  it('is none when it is a minute old: that is history', async () => {
    const domain = await createDomain();
    const now = domain.clock.now();
    const { published } = await told([{ date: now - 60_000 }, { date: now - 59_000 }, { type: 'tamper' }]);
    expect(bodies(published)).toMatchObject([{ record_id: 2 }, { record_id: 3 }]);
  });

  it('says why a command did nothing, without a record, on its own topic and as an event', async () => {
    const { domain, home } = await setUp();
    home.published.length = 0;
    home.announcer.refused(lockId, { reason: 'late', ageMs: 61_000 });
    home.announcer.refused(lockId, { reason: 'failed', detail: 'jammed' });
    const at = domain.clock.now();
    const late = { reason: 'late', at, age_ms: 61_000 };
    expect(home.published.map(({ topic, text, ...how }) => [topic.split('/').at(-1), JSON.parse(text), how])).toEqual([
      ['refused', late, { retain: false, qos: 0 }],
      ['event', { event_type: 'refused', ...late }, { retain: false, qos: 1 }],
      ['refused', { reason: 'failed', at, detail: 'jammed' }, { retain: false, qos: 0 }],
      ['event', { event_type: 'refused', reason: 'failed', at, detail: 'jammed' }, { retain: false, qos: 1 }],
    ]);
  });
});

describe('thousands of locks', () => {
  const many = 2_000;
  async function building(): Promise<Domain> {
    const domain = await createDomain();
    for (let id = 100; id < 100 + many; id++) {
      const deviceId = id.toString(16).padStart(12, '0');
      await domain.locks.add(someLock({ lockId: id as never, deviceId: deviceId as never, alias: `Door ${id}` }));
    }
    return domain;
  }

  it('are announced a slice at a time, one cut short by the next, and afterwards an event costs the messages of its own lock alone', async () => {
    const domain = await building();
    let sinceTurn = 0;
    let most = 0;
    const turn = async () => {
      sinceTurn = 0;
    };
    const home = createHome(domain, { nextTurn: turn });
    const { push } = home.published;
    home.published.push = (...some) => {
      // Each message takes a tenth of a millisecond.
      domain.clock.block(0.1);
      sinceTurn += 1;
      most = Math.max(most, sinceTurn);
      return push.apply(home.published, some);
    };
    await Promise.all([home.announcer.connected(), home.announcer.born()]);
    expect(home.retained.size).toBe((many + 2) * 5 + 3);
    expect(ofTopic(home, '/config').length).toBe(many + 3);
    expect(most).toBeLessThan(40);
    home.published.length = 0;
    domain.reports.state(lockId, { state: 'unlocked' });
    await home.quiet();
    expect(home.published.map(({ topic }) => topic)).toEqual([`latchd/${gatewayId}/7/state`]);
    home.announcer.stop();
    home.published.length = 0;
    domain.reports.state(lockId, { state: 'locked' });
    await domain.locks.remove(otherLockId);
    await home.quiet();
    expect(home.published.length).toBe(0);
  });
});
