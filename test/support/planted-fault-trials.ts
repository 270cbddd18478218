// Which check of the conformance tool finds which planted fault, and the trial of that.
import type { LockProfileInput } from '../../device-sim/lock-profile.ts';
import { type PlantedFaultName, plantedFaults } from '../../device-sim/planted-faults.ts';
import { type Bench, openBench } from './conformance-bench.ts';

/** The check that finds each fault, first; what has to be tried with it, for something to look at, comes after it. The longest trial comes first. */
export const foundBy: Readonly<Record<PlantedFaultName, string>> = {
  'no-jitter': 'jitter',
  'persistent-session': 'clean-session',
  hammers: 'back-off',
  'never-pings': 'pings',
  'never-notices': 'dead-connection',
  'hello-before-suback': 'subscribes-first',
  'two-hellos': 'one-hello',
  'same-session': 'new-session',
  'uptime-jumps': 'clock-and-uptime',
  'no-online': 'online-after-connect,held-back',
  'no-state': 'state-after-connect,dead-connection',
  'no-battery': 'battery-after-connect,dead-connection',
  'old-session-in-state': 'state-session',
  'battery-as-text': 'battery-members',
  'online-not-retained': 'retain',
  'qos-0-replies': 'qos',
  'qos-0-reports': 'qos',
  'retained-replies': 'retain',
  'retained-events': 'retain',
  'obeys-late': 'expired',
  'obeys-other-session': 'other-session',
  'stores-late': 'expired-card',
  'does-it-twice': 'twice',
  'remembers-four': 'remembers-32',
  'other-reply': 'twice',
  'answers-twice': 'one-reply',
  'silent-on-unknown': 'one-reply,unknown-op',
  'ok-too-early': 'ok-when-done',
  'reply-on-new-connection': 'no-late-reply',
  'no-state-in-ok': 'state-in-reply',
  'wrong-state-in-ok': 'state-in-reply',
  'no-state-report': 'state-after-movement',
  'get-status-silent': 'get-status',
  'shortens-ids': 'long-id',
  'minds-unknown-members': 'unknown-members',
  'forgets-clock': 'set-clock',
  'forgets-auto-lock': 'auto-lock',
  'resets-settings': 'set-settings',
  'late-replies': 'reply-in-time',
  'newest-first': 'backlog-order',
  'no-window': 'at-most-20',
  'forgets-when-sent': 'resend',
  'keeps-backlog': 'backlog-order',
  renumbers: 'resend',
  'skips-seqs': 'seq-by-one',
  'new-epochs': 'same-epoch',
  'seq-again': 'seq-after-power-loss',
  'no-command-id': 'command-in-event',
  'forgets-cards': 'put-credentials',
  'keeps-cards': 'remove-credentials',
  'wrong-digest': 'credential-digest',
  'ok-when-full': 'card-no-space',
  'number-as-double': 'card-as-text',
  'rewrites-hours': 'hours-text',
  'card-by-update': 'card-not-there',
  'pages-overlap': 'card-pages',
  'batch-all-or-nothing': 'failed-items',
  'date-without-clock': 'no-dates-without-clock',
  'timed-cards-without-clock': 'no-dates-without-clock',
  'loses-cards-with-power': 'cards-after-power-loss',
  'once-is-for-ever': 'once-only',
  'codes-as-numbers': 'leading-zeros',
  'drops-typed-zeros': 'passcode-opens',
  'cuts-long-codes': 'failed-items',
  'one-number-space': 'two-kinds',
  'codes-for-ever': 'passcode-dates',
  'codes-at-all-hours': 'passcode-hours',
  'keeps-codes': 'remove-credentials',
  'once-not-listed': 'once-listed',
  'says-wrong-codes': 'wrong-code',
  'digest-without-codes': 'credential-digest',
  'fewer-codes-than-said': 'passcodes-no-space',
  'timed-codes-without-clock': 'no-dates-without-clock',
  'loses-codes-with-power': 'cards-after-power-loss',
};

/** An auto lock that is not done at once. */
const profiles: Partial<Record<PlantedFaultName, LockProfileInput>> = { 'forgets-auto-lock': { autoLockSeconds: 30 } };

/**
 * Why the check that is there for this fault has not found it, or not by the rule that the fault breaks; undefined: it has. `seed`: of the
 * lock, which no other trial on this gateway may have.
 */
export async function tryPlanted(beside: Bench, name: PlantedFaultName, seed: number): Promise<string | undefined> {
  const bench = await openBench({ beside, seed });
  try {
    const { checks, stderr } = await bench.run({ args: ['--only', foundBy[name]], sim: ['--plant', name], profile: profiles[name] ?? {} });
    const [checkName] = foundBy[name].split(',');
    const check = checks.find((one) => one.name === checkName);
    if (check === undefined) return `no ${checkName} in the report: ${stderr}`;
    if (check.verdict !== 'broken') return `${checkName} ${check.verdict} ${check.why ?? ''}`;
    return check.rule === plantedFaults[name].rule ? undefined : `found by ${check.rule}, and breaks ${plantedFaults[name].rule}`;
  } finally {
    await bench.close();
  }
}
