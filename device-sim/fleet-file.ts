// The fleet file: a list of locks in YAML. Reports every problem with its path, not only the first.
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { completeProfile, type LockProfile, lockProfile } from './lock-profile.ts';

const fleetFile = z.strictObject({
  defaults: lockProfile.default({}),
  locks: z.array(z.strictObject({ ...lockProfile.shape, count: z.int().min(1).max(10_000).default(1) })).min(1),
});

/** The locks of a fleet file, in its order. Throws one error with one line for each problem. */
export function parseFleetFile(text: string, fileName: string): LockProfile[] {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0) {
    throw new Error([`${fileName} is not YAML:`, ...document.errors.map((error) => `  ${error.message}`)].join('\n'));
  }
  const checked = fleetFile.safeParse(document.toJS());
  if (!checked.success) {
    const problems = checked.error.issues.map((issue) => `  ${pathOf(issue.path)}: ${issue.message}`);
    throw new Error([`${fileName} is not a fleet file:`, ...problems].join('\n'));
  }
  const { defaults, locks } = checked.data;
  return locks.flatMap(({ count, ...profile }) => Array.from({ length: count }, () => completeProfile({ ...defaults, ...profile })));
}

/** `locks[2].faults.jam` */
function pathOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`)).join('');
}
