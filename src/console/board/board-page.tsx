// Every lock on which we have a role, as a board that is always up to date: what needs a person, favourites, and groups.
import { useEffect, useState } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { buildingPart } from '../components/later.tsx';
import { PageHead } from '../components/page-head.tsx';
import { useSaid } from '../components/said.tsx';
import { Attention, useAttentionNews } from './attention.tsx';
import type { BoardGroup } from './board.ts';
import { BoardTools } from './board-tools.tsx';
import { Doors, GroupSection } from './group.tsx';
import { NoLocks } from './no-locks.tsx';
import { type BoardView, useBoardView } from './view.ts';

const GroupOrder = buildingPart('groupOrder');
const LockGroup = buildingPart('lockGroup');

export function BoardPage() {
  const { live, board, router } = useApp();
  const { locks: strings } = useStrings();
  const view = useBoardView();
  const { say, region } = useSaid();
  const [open, setOpen] = useState<'order' | BoardGroup>();
  useEffect(() => board.open(), [board]);
  useAttentionNews(view, say);
  const { search = '', group = '', show = '' } = router.query.value;
  const isSearch = search !== '' || group !== '' || show !== '';
  const groups = board.groups.value;
  const isKnown = live.locks.value !== undefined && groups !== undefined;
  const isEmpty = view.counts.locks.value === 0;

  return (
    <>
      <PageHead title={strings.title} intro={isKnown && <Summary view={view} />} />
      {board.problem.value !== undefined && <ProblemCallout problem={board.problem.value} retry={board.reload} />}
      {!isKnown && board.problem.value === undefined && <Loading />}
      {isKnown && isEmpty && <NoLocks />}
      {isKnown && <Attention view={view} say={say} />}
      {isKnown && !isEmpty && <BoardTools onOrder={() => setOpen('order')} />}
      {isKnown && !isSearch && <Favourites view={view} say={say} />}
      {isKnown && <Groups view={view} isSearch={isSearch} say={say} onLockAll={setOpen} />}
      {open === 'order' && <GroupOrder groups={groups ?? []} onClose={() => setOpen(undefined)} />}
      {typeof open === 'object' && <LockGroup group={open} onClose={() => setOpen(undefined)} />}
      {region}
    </>
  );
}

function Summary({ view: { counts, concerns } }: { view: BoardView }) {
  const { locks: strings } = useStrings();
  return <>{strings.summary(counts.locks.value, counts.offline.value, concerns.value.length)}</>;
}

function Favourites({ view, say }: { view: BoardView; say: (text: string) => void }) {
  const { locks: strings } = useStrings();
  const doors = view.favourites.value;
  if (doors.length === 0) return null;
  return (
    <section aria-label={strings.favourites}>
      <div class="group-head">
        <h2>{strings.favourites}</h2>
      </div>
      <Doors doors={doors.map(({ lockId }) => lockId)} view={view} before={0} say={say} />
    </section>
  );
}

interface GroupsProps {
  readonly view: BoardView;
  readonly isSearch: boolean;
  readonly say: (text: string) => void;
  readonly onLockAll: (group: BoardGroup) => void;
}

function Groups({ view, isSearch, say, onLockAll }: GroupsProps) {
  const { board } = useApp();
  const { locks: strings } = useStrings();
  const found = view.found.value;
  if (found.length === 0 && view.counts.locks.value > 0) return <p class="empty">{strings.noneFound}</p>;
  let before = 0;
  return (
    <>
      {found.map((group) => {
        const section = (
          <GroupSection
            key={group.groupId}
            group={group}
            view={view}
            before={before}
            isAlone={group.groupId === 0 && board.groups.value?.length === 1}
            isSearch={isSearch}
            say={say}
            onLockAll={() => onLockAll(group)}
          />
        );
        before += group.doors.length;
        return section;
      })}
    </>
  );
}
