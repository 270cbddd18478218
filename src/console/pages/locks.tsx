// Every lock on which we have a role, as a board that is always up to date.
import { useEffect, useState } from 'preact/hooks';
import type { Page } from '../api/client.ts';
import type { Alarm, Lock } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { SelectField, TextField } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { Battery, LockState, Online } from '../components/lock-facts.tsx';
import { Loading, ProblemNotice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import type { LiveLock } from '../live.ts';
import { href } from '../router.ts';

type Show = 'all' | 'alarm' | 'offline' | 'unlocked';

export function LocksPage() {
  const { live } = useApp();
  const { locks: strings } = useStrings();
  const { groups, problem, reload } = useGroups();
  const [search, setSearch] = useState('');
  const [group, setGroup] = useState('all');
  const [show, setShow] = useState<Show>('all');

  const all = [...(live.locks.value?.values() ?? [])].sort((one, other) =>
    one.lockAlias.localeCompare(other.lockAlias, undefined, { numeric: true }),
  );
  const groupOf = (lock: LiveLock) => groups.get(lock.lockId) ?? '';
  const names = [...new Set(all.map(groupOf))].sort((one, other) => (one === '' ? 1 : other === '' ? -1 : one.localeCompare(other)));
  const alarmsOf = (lock: LiveLock) => live.alarms.value.filter(({ lockId }) => lockId === lock.lockId);
  const found = all.filter(
    (lock) =>
      lock.lockAlias.toLowerCase().includes(search.toLowerCase()) &&
      (group === 'all' || groupOf(lock) === group.slice(1)) &&
      (show !== 'alarm' || alarmsOf(lock).length > 0) &&
      (show !== 'offline' || !lock.online) &&
      (show !== 'unlocked' || lock.state === 'unlocked'),
  );
  const offline = all.filter(({ online }) => !online).length;
  const alarms = live.alarms.value.filter(({ lockId }) => lockId !== null).length;

  return (
    <>
      <PageHead title={strings.title} intro={live.locks.value && strings.summary(all.length, offline, alarms)} />
      {problem !== undefined && <ProblemNotice problem={problem} retry={reload} />}
      <search class="filters">
        <TextField label={strings.search} name="search" type="search" onInput={setSearch} />
        {names.length > 1 && (
          <SelectField
            label={strings.group}
            name="group"
            value={group}
            onInput={setGroup}
            options={[
              { value: 'all', text: strings.allGroups },
              ...names.map((name) => ({ value: `=${name}`, text: name === '' ? strings.noGroup : name })),
            ]}
          />
        )}
        <SelectField
          label={strings.show}
          name="show"
          value={show}
          onInput={(value) => setShow(value as Show)}
          options={Object.entries(strings.shows).map(([value, text]) => ({ value, text }))}
        />
      </search>
      {live.locks.value === undefined && <Loading />}
      {live.locks.value !== undefined && found.length === 0 && <p class="empty">{all.length === 0 ? strings.none : strings.noneFound}</p>}
      {names.map((name) => (
        <Group
          key={name}
          name={name === '' ? strings.noGroup : name}
          isAlone={names.length === 1}
          locks={found.filter((lock) => groupOf(lock) === name)}
          alarmsOf={alarmsOf}
        />
      ))}
    </>
  );
}

interface GroupProps {
  readonly name: string;
  readonly isAlone: boolean;
  readonly locks: readonly LiveLock[];
  readonly alarmsOf: (lock: LiveLock) => readonly Alarm[];
}

function Group({ name, isAlone, locks, alarmsOf }: GroupProps) {
  const { alarmKinds } = useStrings();
  if (locks.length === 0) return null;
  return (
    <section aria-label={name}>
      {!isAlone && <h2>{name}</h2>}
      <ul class="board">
        {locks.map((lock) => (
          <li key={lock.lockId}>
            <a class={`tile ${lock.online ? '' : 'away'}`} href={href('locks', lock.lockId)}>
              <strong>{lock.lockAlias}</strong>
              <LockState lock={lock} />
              {alarmsOf(lock).map(({ kind }) => (
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

/** The name of each lock's group by lockId, which live events do not tell; '' is none. */
function useGroups(): { groups: ReadonlyMap<number, string>; problem: unknown; reload: () => void } {
  const { client, live } = useApp();
  const [groups, setGroups] = useState<ReadonlyMap<number, string>>(new Map());
  const [problem, setProblem] = useState<unknown>();
  const [times, setTimes] = useState(0);
  const reload = () => setTimes((before) => before + 1);

  useEffect(() => live.listen(({ type }) => type === 'locks' && reload()), [live]);
  useEffect(() => {
    let current = true;
    async function load(): Promise<void> {
      const found = new Map<number, string>();
      for (let pageNo = 1, pages = 1; pageNo <= pages; pageNo += 1) {
        const page = await client.get<Page<Lock>>('lock/list', { pageNo, pageSize: 1000 });
        pages = page.pages;
        for (const { lockId, groupName } of page.list) found.set(lockId, groupName);
      }
      if (!current) return;
      setGroups(found);
      setProblem(undefined);
    }
    load().catch((error: unknown) => current && setProblem(error));
    return () => {
      current = false;
    };
  }, [client, times]);
  return { groups, problem, reload };
}
