// What the gateway sets: auto lock, settings and the clock (Protocol 5.1, 4.1).
import type { Check } from '../check.ts';
import type { Hello } from '../lock-messages.ts';
import { memberOf } from '../observer.ts';
import { reports } from '../seen.ts';
import type { LockSession } from '../session.ts';
import { saidOn } from '../trace.ts';
import { broken, expectThat, held, heldUnless, NotTried, notTried, type Verdict } from '../verdict.ts';
import { reportMs, withAutoLock } from './bolt.ts';

export const settingChecks: readonly Check[] = [
  {
    name: 'auto-lock',
    rule: 'Protocol 5.1',
    title: 'set-auto-lock is stored: the lock locks itself after so many seconds, and after 0 no more',
    async run(session) {
      if (session.hello.settings?.passageMode === 1) return notTried('passage mode is on, so the lock does not lock itself: turn it off');
      await session.moveTo('locked');
      await withAutoLock(session, 1, async () => {
        const mark = session.trace.mark();
        await session.moveTo('unlocked');
        const locked = await session.trace.find(mark, reports('locked'), 1_000 + reportMs);
        expectThat(locked !== undefined, 'it stayed unlocked', 'locked a second after it was unlocked');
        const seen = await session.event(mark, ({ event }) => event.type === 'auto-lock');
        expectThat(seen !== undefined, 'no event auto-lock', 'an event auto-lock');
      });
      const mark = session.trace.mark();
      await session.moveTo('unlocked');
      const locked = await session.trace.find(mark, reports('locked'), 1_500 + session.quietMs);
      await session.moveTo('locked');
      return heldUnless(locked === undefined ? undefined : 'it locked itself with the timer at 0', 'it stays as it is with the timer at 0');
    },
  },
  {
    name: 'set-settings',
    rule: 'Protocol 5.1',
    title: 'set-settings stores each setting that it names, and leaves the others, and the next hello says so',
    run: setSettings,
  },
  {
    name: 'set-clock',
    rule: 'Protocol 5.1',
    title: 'set-clock sets the clock that dates reports',
    async run(session) {
      const hourMs = 3_600_000;
      await setClock(session, Date.now() + hourMs);
      try {
        const mark = session.trace.mark();
        await session.askOk('get-status');
        const said = await session.trace.find(mark, saidOn('state'), reportMs);
        const date = memberOf(said?.json, 'date');
        if (date === undefined) return notTried('the lock puts no date into its state');
        const offMs = Number(date) - (Date.now() + hourMs);
        return heldUnless(
          Math.abs(offMs) > 3_000 ? `a date that is ${Math.round(offMs / 1_000)} s off` : undefined,
          'the date that was set',
        );
      } finally {
        await setClock(session, Date.now());
      }
    },
  },
  {
    name: 'clock-and-uptime',
    rule: 'Protocol 4.1',
    title: 'uptime does not jump when the clock is set',
    async run(session) {
      for (const offsetMs of [3_600_000, -3_600_000, 0]) {
        await setClock(session, Date.now() + offsetMs);
        const inTime = await session.ask('get-status', { expiresInMs: 5_000 });
        const late = await session.ask('get-status', { expiresInMs: -1_000 });
        if (!inTime.ok || late.ok) {
          await setClock(session, Date.now());
          return broken(
            inTime.ok ? 'a command that expired a second ago was done' : `a command that has 5 s left got ${inTime.error}`,
            'the counter goes on as before when the clock is set',
          );
        }
      }
      return held;
    },
  },
];

/** All at once get their other value, and then one alone the one that it had. Nothing moves meanwhile: they may say which way to turn. */
async function setSettings(session: LockSession): Promise<Verdict> {
  const before = knownSettings(session.hello.settings);
  const [first] = Object.entries(before);
  if (first === undefined) return notTried('the hello says no settings');
  const others = Object.fromEntries(Object.entries(before).map(([name, value]) => [name, value === 1 ? 2 : 1]));
  const one = Object.fromEntries([first]);
  try {
    const changed = await session.ask('set-settings', { args: others });
    if (changed.error === 'not-supported') return notTried('the lock replies not-supported');
    for (const [args, due] of [
      [others, others],
      [one, { ...others, ...one }],
    ] as const) {
      await session.askOk('set-settings', { args });
      await session.reconnect();
      const said = settingsText(knownSettings(session.hello.settings));
      expectThat(said === settingsText(due), `after ${settingsText(args)} the next hello says ${said}`, settingsText(due));
    }
    return held;
  } finally {
    await session.ask('set-settings', { args: before });
  }
}

/** Those that are not 0, which stands for unknown. */
function knownSettings(settings: Hello['settings'] = {}): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined || value === 0 ? [] : [[name, value]])),
  );
}

function settingsText(settings: Readonly<Record<string, number>>): string {
  const said = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  return said.sort().join(', ');
}

/** @throws NotTried when the lock has no clock */
async function setClock(session: LockSession, now: number): Promise<void> {
  const { ok, error } = await session.ask('set-clock', { args: { now, timezoneRawOffset: session.timezoneRawOffset } });
  if (error === 'not-supported') throw new NotTried('the lock has no clock');
  expectThat(ok, `set-clock was refused: ${error}`, 'ok to set-clock');
}
