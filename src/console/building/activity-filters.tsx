// What to look for in the activity. It is in the address, so that Back and a link lead to it.
import { useState } from 'preact/hooks';
import type { Page } from '../api/client.ts';
import { useApp, useStrings } from '../app.ts';
import { SelectField, TextField } from '../components/field.tsx';
import { FoldedFilters } from '../components/folded-filters.tsx';
import { SuggestField } from '../components/suggest-field.tsx';
import { useTexts } from './texts.ts';

const suggestions = 12;
const kinds = ['unlock', 'lock', 'refused', 'alarm', 'door'] as const;

export function ActivityFilters() {
  const { board, router } = useApp();
  const { records, locks: strings } = useStrings();
  const texts = useTexts();
  const { group = '', kind = '', success = '', from = '', to = '' } = router.query.value;
  const groups = (board.groups.value ?? []).filter(({ groupId }) => groupId !== 0);
  return (
    <FoldedFilters title={texts.filters} clear={texts.clear}>
      <TextField label={records.from} name="from" type="date" max={to} value={from} onInput={(value) => router.ask({ from: value })} />
      <TextField label={records.to} name="to" type="date" min={from} value={to} onInput={(value) => router.ask({ to: value })} />
      <Door />
      {groups.length > 0 && (
        <SelectField
          label={strings.group}
          name="group"
          value={group}
          onInput={(value) => router.ask({ group: value })}
          options={[{ value: '', text: strings.allGroups }, ...groups.map(({ groupId, name }) => ({ value: String(groupId), text: name }))]}
        />
      )}
      <Who />
      <SelectField
        label={records.kind}
        name="kind"
        value={kind}
        onInput={(value) => router.ask({ kind: value })}
        options={[{ value: '', text: records.allKinds }, ...kinds.map((value) => ({ value, text: texts.kinds[value] }))]}
      />
      <SelectField
        label={texts.outcome}
        name="success"
        value={success}
        onInput={(value) => router.ask({ success: value })}
        options={[
          { value: '', text: texts.anyOutcome },
          { value: '1', text: texts.succeeded },
          { value: '0', text: texts.failed },
        ]}
      />
    </FoldedFilters>
  );
}

/** One of the locks of which we are a manager. */
function Door() {
  const { router, live } = useApp();
  const texts = useTexts();
  async function doors(text: string) {
    const wanted = text.toLowerCase();
    const found = [...(live.locks.peek()?.values() ?? [])].filter(
      ({ role, lockAlias }) => role !== 'operator' && lockAlias.toLowerCase().includes(wanted),
    );
    return found.slice(0, suggestions).map(({ lockId, lockAlias }) => ({ id: lockId, text: lockAlias }));
  }
  const chosen = live.locks.value?.get(Number(router.query.value['lock']));
  const [isUnknown, setUnknown] = useState(false);
  return (
    <SuggestField
      label={texts.door}
      value={chosen?.lockAlias ?? ''}
      error={isUnknown ? texts.noDoor : undefined}
      suggest={doors}
      onPick={(picked, text) => {
        setUnknown(picked === undefined && text !== '');
        router.ask({ lock: picked === undefined ? '' : String(picked.id) });
      }}
    />
  );
}

/** A person, for access managers; else whatever name a lock or the gateway said. */
function Who() {
  const { client, router, session } = useApp();
  const texts = useTexts();
  const { username = '', who = username } = router.query.value;
  const me = session.state.value;
  async function people(search: string) {
    if (typeof me !== 'object' || !me.accessManager || search === '') return [];
    const query = { search, pageSize: suggestions };
    const { list } = await client.get<Page<{ personId: number; name: string }>>('access/people', query);
    return list.map(({ personId, name }) => ({ id: personId, text: name }));
  }
  return (
    <SuggestField
      label={texts.who}
      value={who}
      suggest={people}
      onPick={(picked, text) =>
        router.ask(
          picked === undefined ? { person: '', who: '', username: text } : { person: String(picked.id), who: picked.text, username: '' },
        )
      }
    />
  );
}
