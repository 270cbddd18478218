// One line of the table of rules.
import type { LockSession } from './session.ts';
import type { Verdict } from './verdict.ts';

/** What a check cannot do without: a feature of the lock, somebody at the lock, a login of the lock's own. */
export type Need = 'credentials' | 'hours' | 'once' | 'passcodes' | 'power' | 'door' | 'own-login';

export interface Check {
  /** Of the report and of --only, such as `other-session`. */
  readonly name: string;
  /** Where the page has it, such as `Protocol 5.3 rule 1`. */
  readonly rule: string;
  /** What a lock does that keeps it. */
  readonly title: string;
  readonly needs?: readonly Need[];
  /** It looks at what was seen in the run, and needs no lock for that. */
  readonly looksBack?: true;
  /** May throw Broken and NotTried as well. */
  run(session: LockSession): Promise<Verdict> | Verdict;
}
