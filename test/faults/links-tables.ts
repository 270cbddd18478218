// What came of the trials with links, in tables and sentences.
import type { Trial } from './links-trials.ts';

const lateOf = (trials: readonly Trial[]) => trials.filter(({ lateBytes }) => lateBytes > 0);

/** One line for each kind of trial. */
export function tableOf(trials: readonly Trial[]): string {
  const kinds = new Map<string, Trial[]>();
  for (const trial of trials) {
    const { subject, what, end, breaks, tls, isLongCut } = trial;
    const how = what === 'cut' ? `, ${breaks}, for ${isLongCut ? 'more than 3 s' : 'less'}` : '';
    const kind = `${subject}: ${what}${how}, ${tls ? 'TLS' : 'plain'}${end === 'destroy' ? ', without a reset' : ''}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), trial]);
  }
  const rows = [...kinds].sort().map(([kind, those]) => {
    const count = (...outcomes: readonly Trial['outcome'][]) => those.filter(({ outcome }) => outcomes.includes(outcome)).length;
    const late = lateOf(those);
    const bytes = late.reduce((all, { lateBytes }) => all + lateBytes, 0);
    const slow = those.filter(({ slowBytes }) => slowBytes > 0).length;
    const cells = [
      kind,
      those.length,
      count('ok'),
      count('no-reply'),
      count('unsent', 'offline'),
      count(undefined),
      late.length,
      bytes,
      slow,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head =
    '| trials | all | opened in time | no reply | nothing sent | gateway died first | late | late bytes | taken in time, obeyed after the answer |';
  return [head, '|---|---|---|---|---|---|---|---|---|', ...rows].join('\n');
}

/** A sentence for all that must not be. What dies with the gateway is in its kernel's hands: that is measured, and no promise. */
export function problemsOf(trials: readonly Trial[]): readonly string[] {
  const long = trials.filter(({ isLongCut }) => isLongCut);
  const promised = long.filter(({ what, end }) => end === 'reset' && what !== 'gateway killed');
  const without = long.filter(({ end }) => end === 'destroy');
  const late = lateOf(promised).length;
  const strange = new Set(trials.flatMap(({ outcome }) => (outcome?.startsWith('refused') ? [outcome] : [])));
  return [
    ...(late > 0 ? [`${late} unlocks came late`] : []),
    ...(without.length > 0 && lateOf(without).length === 0 ? ['without a reset no unlock came late: these trials show nothing'] : []),
    ...(promised.some(({ outcome }) => outcome === 'no-reply') ? [] : ['no unlock was ever without a reply: these trials show nothing']),
    ...strange,
  ];
}
