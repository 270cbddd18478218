// Who has a grant for a group of locks, or for one lock.
import { useState } from 'preact/hooks';
import { SelectField } from '../../components/field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { usePaged } from '../../components/paged.ts';
import { PagedTable } from '../../components/table.tsx';
import { ValidityText } from '../../components/validity-text.tsx';
import { href } from '../../router.ts';
import { useBuilding } from '../building.ts';
import { useSchedules } from '../schedules.ts';
import { useTexts } from '../texts.ts';
import type { GrantRow } from '../types.ts';

export function GrantsPage() {
  const { grants: texts, person } = useTexts();
  const building = useBuilding();
  const schedules = useSchedules();
  const [of, setOf] = useState('');
  const [kind = '', id = ''] = of.split(':');
  const paged = usePaged<GrantRow>('access/grants', of === '' ? {} : { [kind]: id });
  return (
    <>
      <PageHead title={texts.title} intro={texts.intro} />
      <search class="filters" aria-label={texts.title}>
        <SelectField
          label={texts.of}
          name="of"
          value={of}
          onInput={setOf}
          options={[
            { value: '', text: texts.all },
            ...[...building.groups].map(([groupId, text]) => ({ value: `groupId:${groupId}`, text })),
            ...[...building.locks].map(([lockId, text]) => ({ value: `lockId:${lockId}`, text })),
          ]}
        />
      </search>
      <PagedTable
        caption={texts.title}
        paged={paged}
        empty={texts.none}
        keyOf={({ grantId }) => grantId}
        columns={[
          {
            title: texts.person,
            cell: ({ personId, name }) => (
              <a href={href('people', personId)}>
                <strong>{name}</strong>
              </a>
            ),
          },
          { title: person.doors, cell: (grant) => building.doorsOf(grant) },
          { title: person.validity, cell: (grant) => <ValidityText {...grant} /> },
          {
            title: person.schedule,
            cell: ({ scheduleId }) => (scheduleId === null ? person.allHours : (schedules.nameOf(scheduleId) ?? String(scheduleId))),
          },
        ]}
      />
    </>
  );
}
