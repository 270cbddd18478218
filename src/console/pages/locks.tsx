// Every lock on which we have a role, as a board that is always up to date.
import { useState } from 'preact/hooks';
import type { Alarm } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { PageHead } from '../components/page-head.tsx';
import { pageOf } from '../components/paged.ts';
import { Pager } from '../components/pager.tsx';
import type { LiveLock } from '../live.ts';
import { href } from '../router.ts';
import { useLockGroups } from './lock-groups.ts';
import { LockTiles } from './lock-tiles.tsx';

const tilesOnAPage = 120;

type Show = 'all' | 'alarm' | 'offline' | 'unlocked';

export function LocksPage() {
  const { live } = useApp();
  const { locks: strings } = useStrings();
  const { groups, problem, reload } = useLockGroups();
  const [search, setSearch] = useState('');
  const [group, setGroup] = useState('all');
  const [show, setShow] = useState<Show>('all');
  const [pageNo, setPageNo] = useState(1);

  const groupOf = (lock: LiveLock) => groups.get(lock.lockId) ?? '';
  const all = sorted([...(live.locks.value?.values() ?? [])], groupOf);
  const alarms = byLock(live.alarms.value);
  const names = [...new Set(all.map(groupOf))];
  const shows: Readonly<Record<Show, (lock: LiveLock) => boolean>> = {
    all: () => true,
    alarm: ({ lockId }) => alarms.has(lockId),
    offline: ({ online }) => !online,
    unlocked: ({ state }) => state === 'unlocked',
  };
  const wanted = search.trim().toLowerCase();
  const found = all.filter(
    (lock) => lock.lockAlias.toLowerCase().includes(wanted) && (group === 'all' || groupOf(lock) === group.slice(1)) && shows[show](lock),
  );
  const page = pageOf(found, pageNo, tilesOnAPage);

  return (
    <>
      <PageHead
        title={strings.title}
        intro={live.locks.value && strings.summary(all.length, all.filter(shows.offline).length, count(alarms))}
      />
      {problem !== undefined && <ProblemCallout problem={problem} retry={reload} />}
      {all.length > 0 && (
        <search class="filters">
          <TextField label={strings.search} name="search" type="search" onInput={setSearch} />
          {names.length > 1 && <GroupField names={names} value={group} onInput={setGroup} />}
          <SelectField
            label={strings.show}
            name="show"
            value={show}
            onInput={(value) => setShow(value as Show)}
            options={Object.entries(strings.shows).map(([value, text]) => ({ value, text }))}
          />
        </search>
      )}
      {live.locks.value === undefined && <Loading />}
      {live.locks.value !== undefined && all.length === 0 && <NoLocks />}
      {all.length > 0 && found.length === 0 && <p class="empty">{strings.noneFound}</p>}
      {names.map((name) => (
        <LockTiles
          key={name}
          title={name === '' ? strings.noGroup : name}
          isAlone={names.length === 1}
          locks={page.list.filter((lock) => groupOf(lock) === name)}
          alarms={alarms}
        />
      ))}
      <Pager {...page} onTurn={setPageNo} />
    </>
  );
}

interface GroupFieldProps {
  /** '' stands for the locks without a group. */
  readonly names: readonly string[];
  /** 'all', or `=` and a name: a group may be called "all". */
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function GroupField({ names, value, onInput }: GroupFieldProps) {
  const { locks: strings } = useStrings();
  const options = names.map((name) => ({ value: `=${name}`, text: name === '' ? strings.noGroup : name }));
  return (
    <SelectField
      label={strings.group}
      name="group"
      value={value}
      onInput={onInput}
      options={[{ value: 'all', text: strings.allGroups }, ...options]}
    />
  );
}

/** The next step, for an account that may take it. */
function NoLocks() {
  const person = useApp().session.state.value;
  const { locks: strings } = useStrings();
  if (typeof person !== 'object' || !person.gatewayAdministrator) return <p class="empty">{strings.none}</p>;
  return (
    <div class="empty">
      <p>{strings.noneYet}</p>
      <p class="buttons">
        <a class="button main" href={href('pairing')}>
          {strings.pair}
        </a>
        <a class="button" href={href('registered')}>
          {strings.register}
        </a>
      </p>
    </div>
  );
}

/** Sorts by group, locks without a group last, and then by name: "Room 9" before "Room 10". */
function sorted(locks: LiveLock[], groupOf: (lock: LiveLock) => string): readonly LiveLock[] {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const compareGroups = (one: string, other: string) => (one === other ? 0 : one === '' ? 1 : other === '' ? -1 : compare(one, other));
  return locks.sort((one, other) => compareGroups(groupOf(one), groupOf(other)) || compare(one.lockAlias, other.lockAlias));
}

function byLock(alarms: readonly Alarm[]): ReadonlyMap<number, readonly Alarm[]> {
  const found = new Map<number, Alarm[]>();
  for (const alarm of alarms) if (alarm.lockId !== null) found.set(alarm.lockId, [...(found.get(alarm.lockId) ?? []), alarm]);
  return found;
}

function count(alarms: ReadonlyMap<number, readonly Alarm[]>): number {
  return [...alarms.values()].reduce((sum, list) => sum + list.length, 0);
}
