// A lock on the board, as a tile or as a line of the list: how it is, what happened last, and its two commands.
import { useComputed } from '@preact/signals';
import { Problem } from '../api/problem.ts';
import { useApp, useStrings } from '../app.ts';
import { Ago, LocksIn } from '../components/ago.tsx';
import { useBolt } from '../components/bolt.tsx';
import { Icon } from '../components/icon.tsx';
import { Battery, LockState, Online } from '../components/lock-facts.tsx';
import { useProblemText } from '../format.ts';
import type { LiveLock } from '../live.ts';
import { href } from '../router.ts';
import type { BoardView } from './view.ts';

interface DoorProps {
  readonly lockId: number;
  readonly view: BoardView;
  /** What a screen reader is to say of it. */
  readonly say: (text: string) => void;
}

export function DoorItem(props: DoorProps) {
  const { live } = useApp();
  const lock = useComputed(() => live.locks.value?.get(props.lockId));
  return <li class="door">{lock.value && <DoorFacts {...props} lock={lock.value} />}</li>;
}

function DoorFacts({ lockId, view, say, lock }: DoorProps & { readonly lock: LiveLock }) {
  const { alarmKinds } = useStrings();
  const { boardView } = useApp().preferences;
  const kinds = useComputed(() => view.kinds.value.get(lockId) ?? '');
  const { outcome, button } = useBolt(lock, (text) => say(`${lock.lockAlias}: ${text}`));
  return (
    <>
      <p class="door-name">
        <a href={href('locks', lockId)}>
          <strong>{lock.lockAlias}</strong>
        </a>
        <Favourite lock={lock} />
      </p>
      <p class="facts main">
        <LockState lock={lock} />
        {lock.state === 'unlocked' && typeof lock.autoLockAt === 'number' && <LocksIn at={lock.autoLockAt} />}
        {kinds.value
          .split(' ')
          // The connection and the battery say so themselves.
          .filter((kind) => kind !== '' && kind !== 'offline' && kind !== 'low-battery')
          .map((kind) => (
            <span key={kind} class="fact alarm">
              <Icon name="alert" />
              {alarmKinds[kind] ?? kind}
            </span>
          ))}
      </p>
      <Last lockId={lockId} />
      <p class="facts">
        <Online lock={lock} />
        <Battery lock={lock} isShort={boardView.value === 'list'} />
      </p>
      <div class="buttons small">
        {button('unlock', lock.lockAlias)}
        {button('lock', lock.lockAlias)}
      </div>
      {outcome && <p class={`outcome ${outcome.kind}`}>{outcome.text}</p>}
    </>
  );
}

/** The last event, for managers of the lock. */
function Last({ lockId }: { lockId: number }) {
  const { board } = useApp();
  const { records, recordTypes } = useStrings();
  const last = board.lastOf(lockId).value;
  if (last === null) return <p class="last" />;
  return (
    <p class="last">
      {recordTypes[last.recordType] ?? last.recordType}
      {last.success === 0 && ` (${records.refused})`}
      {last.username !== '' && `, ${last.username}`}, <Ago at={last.lockDate} />
    </p>
  );
}

function Favourite({ lock: { lockId, lockAlias } }: { lock: LiveLock }) {
  const { board, toasts } = useApp();
  const { locks: strings } = useStrings();
  const problemText = useProblemText();
  const isFavourite = useComputed(() => board.favourites.value.includes(lockId)).value;
  function explain(error: unknown): string {
    const isTooMany = error instanceof Problem && error.code === 'invalid-parameter';
    return isTooMany ? strings.favouritesAtMost : problemText(error);
  }
  return (
    <button
      type="button"
      class="button quiet square star"
      aria-pressed={isFavourite}
      aria-label={strings.favourite(lockAlias)}
      title={strings.favourites}
      onClick={() => board.mark(lockId, !isFavourite).catch((error: unknown) => toasts.show('bad', explain(error)))}
    >
      <Icon name="star" />
    </button>
  );
}
