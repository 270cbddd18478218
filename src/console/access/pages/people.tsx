// The people of the building.
import { useState } from 'preact/hooks';
import { useApp } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { usePaged } from '../../components/paged.ts';
import { PagedTable } from '../../components/table.tsx';
import { go, href } from '../../router.ts';
import { useTexts } from '../texts.ts';
import type { PersonRow } from '../types.ts';

export function PeoplePage() {
  const { people } = useTexts();
  const { client, toasts } = useApp();
  const [search, setSearch] = useState('');
  const paged = usePaged<PersonRow>('access/people', search === '' ? {} : { search });
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead title={people.title} intro={people.intro}>
        <Button kind="main" icon="plus" onClick={() => setAdding(true)}>
          {people.add}
        </Button>
      </PageHead>
      <search class="filters" aria-label={people.title}>
        <TextField label={people.search} name="search" type="search" onInput={(text) => setSearch(text.trim())} />
      </search>
      <PagedTable
        caption={people.title}
        paged={paged}
        empty={search === '' ? people.none : people.noneFound}
        keyOf={({ personId }) => personId}
        columns={[
          {
            title: people.name,
            cell: ({ personId, name, suspended }) => (
              <>
                <a href={href('people', personId)}>
                  <strong>{name}</strong>
                </a>{' '}
                {suspended && <span class="tag bad">{people.suspended}</span>}
              </>
            ),
          },
          { title: people.externalId, cell: ({ externalId }) => externalId ?? '–' },
          { title: people.credentials, cell: ({ credentials }) => credentials },
          { title: people.grants, cell: ({ grants }) => grants },
        ]}
      />
      {isAdding && (
        <FormDialog
          title={people.add}
          required={['name']}
          onClose={() => setAdding(false)}
          onSubmit={async (values) => {
            const externalId = values.text('externalId');
            const name = values.text('name');
            const body = { name, ...(externalId !== '' && { externalId }), note: values.text('note') };
            const { personId } = await client.ask<{ personId: number }>('POST', 'access/people', { body });
            toasts.show('good', people.added(name));
            go('people', personId);
          }}
        >
          {(errorOf) => <PersonFields errorOf={errorOf} />}
        </FormDialog>
      )}
    </>
  );
}

interface PersonFieldsProps {
  readonly errorOf: (name: string) => string | undefined;
  readonly person?: { readonly name: string; readonly externalId: string | null; readonly note: string };
}

export function PersonFields({ errorOf, person }: PersonFieldsProps) {
  const { people } = useTexts();
  return (
    <>
      <TextField label={people.name} name="name" value={person?.name} maxLength={128} error={errorOf('name')} required autoFocus />
      <TextField
        label={people.externalId}
        name="externalId"
        value={person?.externalId ?? ''}
        maxLength={128}
        hint={people.externalIdHint}
        error={errorOf('externalId')}
      />
      <TextField label={people.note} name="note" value={person?.note} maxLength={512} error={errorOf('note')} />
    </>
  );
}
