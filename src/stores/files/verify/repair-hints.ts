// What an operator can do about each finding of `verify`.
import type { VerifyFinding } from './verify.ts';

const backup = 'put it back from a backup';
const lost = 'look at the disk; all else in it is served, and what is missing is in a backup, if anywhere';

/** The first match counts. */
const hints: readonly (readonly [what: RegExp, remedy: string])[] = [
  [/: may be read by others/, 'chmod go= on it'],
  [/\.damaged: /, 'look at it, and at the disk; keep it elsewhere'],
  [/^counters\.json: has the floor \d+ for cardId/, 'nothing: it is raised before the next card is added'],
  [/^cards\/.*: belongs to no lock/, 'move it away'],
  [/^counters\.json: has the floor \d+ for (?!groupId)/, 'nothing: the next start raises it'],
  [/^(locks|records): is missing/, 'put it back from a backup, or make an empty folder to go on without what was in it'],
  [/^records\/.*\.index: /, 'move it away: the next start makes it again from its records'],
  [/^records\/.*: belongs to no day file/, 'move it away'],
  [/^(records|audit|attempts|quarantine)\b/, lost],
  [
    /^((status|battery|clock)\.json|alarms\.jsonl?|sign-ins\.jsonl): (?!was written by)/,
    'nothing: the next start sets it aside, or does without',
  ],
  [/^command\.key: /, 'nothing: the next start makes a new one'],
  [/: was written by a newer latchd/, 'start that version'],
];

export function repairHintFor({ file, problem }: VerifyFinding): string {
  const line = `${file}: ${problem}`;
  return hints.find(([what]) => what.test(line))?.[1] ?? backup;
}
