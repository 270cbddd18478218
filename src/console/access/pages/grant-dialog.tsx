// Makes a grant, or changes one: where, when, at which hours.
import { Problem } from '../../api/problem.ts';
import { useApp, useStrings } from '../../app.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { ManyField, SelectField } from '../../components/field.tsx';
import { LocksField } from '../../components/locks-field.tsx';
import { ValidityFields, validityOf } from '../../components/validity.tsx';
import type { Building } from '../building.ts';
import { useTexts } from '../texts.ts';
import type { Grant, GrantWarning, Schedule } from '../types.ts';

interface GrantDialogProps {
  readonly personId: number;
  /** Absent: a new one. */
  readonly grant: Grant | undefined;
  readonly building: Building;
  readonly schedules: readonly Schedule[];
  readonly onClose: () => void;
  readonly onDone: (text: string, warnings: readonly GrantWarning[]) => void;
}

export function GrantDialog({ personId, grant, building, schedules, onClose, onDone }: GrantDialogProps) {
  const { person: texts } = useTexts();
  const strings = useStrings();
  const { client } = useApp();
  return (
    <FormDialog
      title={grant === undefined ? texts.addGrant : texts.changeGrant}
      onClose={onClose}
      onSubmit={async (values) => {
        const lockIds = values.all('lockIds').map(Number);
        const groupIds = values.all('groupIds').map(Number);
        if (lockIds.length + groupIds.length === 0) throw new Problem('invalid-parameter', '', new Map([['lockIds', texts.noDoors]]));
        const schedule = values.text('scheduleId');
        const body = { lockIds, groupIds, scheduleId: schedule === '' ? null : Number(schedule), ...validityOf(values, strings) };
        if (grant === undefined) {
          const path = `access/people/${personId}/grants`;
          const { locks, warnings } = await client.ask<{ locks: number; warnings: readonly GrantWarning[] }>('POST', path, { body });
          onDone(texts.granted(locks), warnings);
        } else {
          const { warnings = [] } = await client.ask<{ warnings?: readonly GrantWarning[] }>('PUT', `access/grants/${grant.grantId}`, {
            body,
          });
          onDone(texts.grantChanged, warnings);
        }
      }}
    >
      {(errorOf) => (
        <>
          {building.groups.size > 0 && (
            <ManyField
              label={texts.groups}
              name="groupIds"
              hint={texts.groupsHint}
              error={errorOf('groupIds')}
              options={[...building.groups].map(([groupId, text]) => ({ value: String(groupId), text }))}
              values={(grant?.groupIds ?? []).map(String)}
            />
          )}
          <LocksField label={texts.locks} name="lockIds" names={building.locks} values={grant?.lockIds ?? []} error={errorOf('lockIds')} />
          <SelectField
            label={texts.schedule}
            name="scheduleId"
            error={errorOf('scheduleId')}
            value={grant?.scheduleId == null ? '' : String(grant.scheduleId)}
            options={[
              { value: '', text: texts.allHours },
              ...schedules.map(({ scheduleId, name }) => ({ value: String(scheduleId), text: name })),
            ]}
          />
          <ValidityFields errorOf={errorOf} {...(grant && { value: grant })} />
        </>
      )}
    </FormDialog>
  );
}
