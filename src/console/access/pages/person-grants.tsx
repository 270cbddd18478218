// The grants of a person, and how far the locks are with them.
import { useEffect, useState } from 'preact/hooks';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout } from '../../components/callout.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { usePolled } from '../../components/polled.ts';
import { Table } from '../../components/table.tsx';
import { ValidityText } from '../../components/validity-text.tsx';
import { useBuilding } from '../building.ts';
import { useSchedules } from '../schedules.ts';
import { useTexts } from '../texts.ts';
import type { Grant, GrantAlone, GrantWarning, Person } from '../types.ts';
import { GrantDialog } from './grant-dialog.tsx';

/** Between two questions while no live event says that something has changed. */
const askEveryMs = 5_000;

interface PersonGrantsProps {
  readonly person: Person;
  readonly onChange: () => void;
}

export function PersonGrants({ person, onChange }: PersonGrantsProps) {
  const { person: texts } = useTexts();
  const { common } = useStrings();
  const { client, toasts } = useApp();
  const building = useBuilding();
  const schedules = useSchedules();
  const [open, setOpen] = useState<{ readonly what: 'put' | 'end'; readonly grant?: Grant }>();
  const [warnings, setWarnings] = useState<readonly GrantWarning[]>([]);
  const close = () => setOpen(undefined);
  const done = (text: string, found: readonly GrantWarning[] = []) => {
    close();
    setWarnings(found);
    toasts.show('good', text);
    onChange();
  };
  return (
    <section aria-labelledby="grants">
      <div class="section-head">
        <h2 id="grants">{texts.grants}</h2>
        <Button icon="plus" onClick={() => setOpen({ what: 'put' })}>
          {texts.addGrant}
        </Button>
      </div>
      {warnings.length > 0 && (
        <Callout kind="warning">
          <p>{texts.warnings}</p>
          <ul>
            {warnings.map(({ lockId, message }) => (
              <li key={`${lockId} ${message}`}>
                {building.nameOf(lockId)}: {message}
              </li>
            ))}
          </ul>
        </Callout>
      )}
      {person.grants.length === 0 ? (
        <p class="empty">{texts.noGrants}</p>
      ) : (
        <Table
          caption={texts.grants}
          rows={person.grants}
          keyOf={({ grantId }) => grantId}
          columns={[
            { title: texts.doors, cell: (grant) => <strong>{building.doorsOf(grant)}</strong> },
            { title: texts.validity, cell: (grant) => <ValidityText {...grant} /> },
            {
              title: texts.schedule,
              cell: ({ scheduleId }) => (scheduleId === null ? texts.allHours : (schedules.nameOf(scheduleId) ?? String(scheduleId))),
            },
            { title: texts.progress, cell: ({ grantId }) => <ProgressText grantId={grantId} /> },
            {
              title: common.actions,
              actions: true,
              cell: (grant) => (
                <>
                  <Button
                    kind="quiet"
                    label={texts.actionOf(texts.changeGrant, building.doorsOf(grant))}
                    onClick={() => setOpen({ what: 'put', grant })}
                  >
                    {texts.changeGrant}
                  </Button>
                  <Button
                    kind="quiet"
                    label={texts.actionOf(texts.endGrant, building.doorsOf(grant))}
                    onClick={() => setOpen({ what: 'end', grant })}
                  >
                    {texts.endGrant}
                  </Button>
                </>
              ),
            },
          ]}
        />
      )}
      {open?.what === 'put' && (
        <GrantDialog
          personId={person.personId}
          grant={open.grant}
          building={building}
          schedules={schedules.all}
          onClose={close}
          onDone={done}
        />
      )}
      {open?.what === 'end' && open.grant !== undefined && (
        <ConfirmDialog
          title={texts.actionOf(texts.endGrant, building.doorsOf(open.grant))}
          text={texts.endGrantText}
          confirm={texts.endGrant}
          onClose={close}
          onConfirm={async () => {
            await client.ask('DELETE', `access/grants/${open.grant?.grantId}`);
            done(texts.grantEnded);
          }}
        />
      )}
    </section>
  );
}

/** How far the locks are, always up to date. */
function ProgressText({ grantId }: { readonly grantId: number }) {
  const { person: texts } = useTexts();
  const { live } = useApp();
  const { value: grant, reload } = usePolled<GrantAlone>(`access/grants/${grantId}`, askEveryMs);
  useEffect(() => live.listen(({ type }) => type === 'entry' && reload()), [live, reload]);
  if (grant === undefined) return null;
  const { progress } = grant;
  const { wanted, pending, failed, removing } = progress;
  const onLocks = progress['on-lock'];
  return (
    <>
      <progress max={Math.max(1, wanted)} value={onLocks} aria-label={texts.progress} />
      <span class="below">
        {[
          texts.onLocks(onLocks, wanted),
          pending > 0 && texts.pending(pending),
          failed > 0 && texts.failed(failed),
          removing > 0 && texts.removing(removing),
        ]
          .filter(Boolean)
          .join(', ')}
      </span>
    </>
  );
}
