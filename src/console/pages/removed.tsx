// The removed locks that still have records, and these records.
import type { RemovedLock } from '../api/types.ts';
import { useStrings } from '../app.ts';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { useOneOf } from '../components/one-of.ts';
import { PageHead } from '../components/page-head.tsx';
import { usePaged } from '../components/paged.ts';
import { PagedTable } from '../components/table.tsx';
import { useFormats } from '../format.ts';
import { href } from '../router.ts';
import { thisMachine } from './audit-filters.tsx';
import { Records } from './lock-records.tsx';
import { NotFoundPage } from './not-found.tsx';
import type { PageProps } from './page.ts';

export function RemovedLocksPage() {
  const { audit, registered, removed } = useStrings();
  const { dateTime } = useFormats();
  const paged = usePaged<RemovedLock>('gateway/removed-locks');
  return (
    <>
      <PageHead title={removed.title} intro={removed.intro} up={{ href: href('registered'), text: registered.title }} />
      <PagedTable
        caption={removed.title}
        paged={paged}
        empty={removed.none}
        keyOf={({ lockId }) => lockId}
        columns={[
          { title: registered.name, cell: ({ lockId, lockName }) => <a href={href('removed', lockId)}>{lockName}</a> },
          { title: removed.when, cell: ({ removeDate }) => dateTime(removeDate) },
          {
            title: removed.by,
            cell: ({ removedBy }) => (removedBy === thisMachine ? audit.thisMachine : removedBy || removed.accountGone),
          },
          { title: registered.administrator, cell: ({ administrator }) => administrator || removed.accountGone },
          { title: removed.mac, cell: ({ lockMac }) => <code>{lockMac}</code> },
        ]}
      />
    </>
  );
}

export function RemovedLockPage({ parameters }: PageProps) {
  const { removed } = useStrings();
  const lockId = Number(parameters['lockId']);
  const { one, problem, isGone, reload } = useOneOf<RemovedLock>('gateway/removed-locks', (lock) => lock.lockId, lockId);
  if (isGone) return <NotFoundPage />;
  if (one === undefined) return problem === undefined ? <Loading /> : <ProblemCallout problem={problem} retry={reload} />;
  return (
    <>
      <PageHead title={removed.recordsOf(one.lockName)} up={{ href: href('removed'), text: removed.title }} />
      <Records lockId={lockId} />
    </>
  );
}
