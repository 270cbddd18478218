// The head of a lock's pages, with the links between them.
import type { ComponentChildren } from 'preact';
import { useApp, useStrings } from '../app.ts';
import type { LiveLock } from '../live.ts';
import { href } from '../router.ts';
import { Callout, Loading } from './callout.tsx';
import { PageHead } from './page-head.tsx';

export type LockSection = 'overview' | 'records' | 'cards' | 'roles';

/** What each role may see. */
const sectionsOf: Readonly<Record<LiveLock['role'], readonly LockSection[]>> = {
  operator: ['overview'],
  manager: ['overview', 'records', 'cards'],
  administrator: ['overview', 'records', 'cards', 'roles'],
};

interface LockHeadProps {
  readonly lockId: number;
  readonly section: LockSection;
  /** Below the head, once the lock is known. */
  readonly children: (lock: LiveLock) => ComponentChildren;
}

export function LockHead({ lockId, section, children }: LockHeadProps) {
  const { live } = useApp();
  const { locks, lock: strings, roles, problems } = useStrings();
  const up = { href: href(), text: locks.title };
  if (live.locks.value === undefined) return <Loading />;
  const lock = live.locks.value.get(lockId);
  if (lock === undefined) return <PageHead title={problems['lock-not-found'] ?? ''} up={up} />;
  const sections = sectionsOf[lock.role].filter((name) => name !== 'cards' || lock.capabilities.cards || lock.capabilities.passcodes);
  const refusal = sectionsOf[lock.role].includes(section) ? problems['not-supported'] : problems['forbidden'];
  const titles = { overview: strings.overview, records: strings.records, cards: strings.cards, roles: roles.title };
  return (
    <>
      <PageHead title={lock.lockAlias} up={up} />
      {sections.length > 1 && (
        <nav class="sections" aria-label={strings.sections(lock.lockAlias)}>
          {sections.map((name) => (
            <a
              key={name}
              href={name === 'overview' ? href('locks', lockId) : href('locks', lockId, name)}
              aria-current={name === section ? 'page' : undefined}
            >
              {titles[name]}
            </a>
          ))}
        </nav>
      )}
      {!lock.online && <Callout kind="warning">{strings.offlineNow}</Callout>}
      {sections.includes(section) ? children(lock) : <Callout kind="info">{refusal}</Callout>}
    </>
  );
}
