// The tiles of one group on the board of locks.
import type { Alarm } from '../api/types.ts';
import { useStrings } from '../app.ts';
import { Icon } from '../components/icon.tsx';
import { Battery, LockState, Online } from '../components/lock-facts.tsx';
import type { LiveLock } from '../live.ts';
import { href } from '../router.ts';

interface LockTilesProps {
  readonly title: string;
  /** There is no other group, so its name is not shown. */
  readonly isAlone: boolean;
  readonly locks: readonly LiveLock[];
  readonly alarms: ReadonlyMap<number, readonly Alarm[]>;
}

export function LockTiles({ title, isAlone, locks, alarms }: LockTilesProps) {
  const { alarmKinds } = useStrings();
  if (locks.length === 0) return null;
  return (
    <section aria-label={title}>
      {!isAlone && <h2>{title}</h2>}
      <ul class="board">
        {locks.map((lock) => (
          <li key={lock.lockId}>
            <a class={`tile ${lock.online ? '' : 'away'}`} href={href('locks', lock.lockId)}>
              <strong>{lock.lockAlias}</strong>
              <LockState lock={lock} />
              {alarms.get(lock.lockId)?.map(({ kind }) => (
                <span key={kind} class="fact alarm">
                  <Icon name="alert" />
                  {alarmKinds[kind] ?? kind}
                </span>
              ))}
              <span class="facts">
                <Online lock={lock} />
                <Battery lock={lock} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
