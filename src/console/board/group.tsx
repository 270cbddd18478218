// One group of the board; a person may close it.
import { useId } from 'preact/hooks';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import type { BoardGroup } from './board.ts';
import { DoorItem } from './door.tsx';
import { Near } from './near.tsx';
import type { BoardView } from './view.ts';

interface GroupSectionProps {
  readonly group: BoardGroup;
  readonly view: BoardView;
  /** How many locks stand above it. */
  readonly before: number;
  /** There are no groups, so nothing is said of them. */
  readonly isAlone: boolean;
  /** Somebody has searched: what was found is shown, also in a closed group. */
  readonly isSearch: boolean;
  readonly say: (text: string) => void;
  readonly onLockAll: () => void;
}

export function GroupSection({ group, view, before, isAlone, isSearch, say, onLockAll }: GroupSectionProps) {
  const { closedGroups } = useApp().preferences;
  const { locks: strings } = useStrings();
  const id = useId();
  const { groupId, doors } = group;
  const name = groupId === 0 ? strings.noGroup : group.name;
  const isOpen = isAlone || isSearch || !closedGroups.value.has(groupId);
  function toggle(): void {
    const closed = new Set(closedGroups.value);
    if (!closed.delete(groupId)) closed.add(groupId);
    closedGroups.value = closed;
  }
  return (
    <section aria-label={name} class="group">
      {!isAlone && (
        <div class="group-head">
          <h2>
            <button type="button" class="fold" aria-expanded={isOpen} aria-controls={id} disabled={isSearch} onClick={toggle}>
              <Icon name={isOpen ? 'down' : 'right'} />
              {name} <span class="faint">{strings.count(doors.length)}</span>
            </button>
          </h2>
          {groupId !== 0 && !isSearch && <LockAll group={group} onLockAll={onLockAll} />}
        </div>
      )}
      <div id={id}>{isOpen && <Doors doors={doors.map(({ lockId }) => lockId)} view={view} before={before} say={say} />}</div>
    </section>
  );
}

interface DoorsProps extends Pick<GroupSectionProps, 'view' | 'before' | 'say'> {
  /** Ids of locks. */
  readonly doors: readonly number[];
}

export function Doors({ doors, view, before, say }: DoorsProps) {
  const { boardView } = useApp().preferences;
  return (
    <Near key={boardView.value} items={doors} before={before}>
      {(some) => (
        <ul class={`board ${boardView.value}`}>
          {some.map((lockId) => (
            <DoorItem key={lockId} lockId={lockId} view={view} say={say} />
          ))}
        </ul>
      )}
    </Near>
  );
}

/** Only who is manager of each lock of the group may lock them all. */
function LockAll({ group, onLockAll }: { group: BoardGroup; onLockAll: () => void }) {
  const { live } = useApp();
  const { locks: strings } = useStrings();
  const locks = live.locks.peek();
  const mayLock = group.doors.every(({ lockId }) => locks?.get(lockId)?.role !== 'operator');
  if (!mayLock || group.doors.length < 2) return null;
  return (
    <Button icon="lock" kind="quiet" label={strings.lockAllOf(group.name)} onClick={onLockAll}>
      {strings.lockAll}
    </Button>
  );
}
