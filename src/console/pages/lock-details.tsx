// The details of a lock, for its administrator, who may rename it.
import { useEffect, useState } from 'preact/hooks';
import type { LockDetail } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { useFormats } from '../format.ts';

interface Loaded {
  readonly detail: LockDetail | undefined;
  readonly problem: unknown;
  readonly reload: () => void;
}

/** `wanted`: false for others than the lock's administrator, who may not request it. */
export function useLockDetail(lockId: number, wanted: boolean): Loaded {
  const { client } = useApp();
  const [detail, setDetail] = useState<LockDetail>();
  const [problem, setProblem] = useState<unknown>();
  function reload(): void {
    setProblem(undefined);
    client.get<LockDetail>('lock/detail', { lockId }).then(setDetail, setProblem);
  }
  useEffect(() => {
    if (wanted) reload();
  }, [lockId, wanted]);
  return { detail, problem, reload };
}

export function LockDetails({ detail, problem, reload }: Loaded) {
  const { lock: strings } = useStrings();
  const { dateTime } = useFormats();
  const [isPasscodeShown, setPasscodeShown] = useState(false);
  const [isRenaming, setRenaming] = useState(false);
  if (problem !== undefined) return <ProblemCallout problem={problem} retry={reload} />;
  if (detail === undefined) return <Loading />;
  const facts = [
    [strings.alias, detail.lockAlias],
    [strings.name, detail.lockName],
    [strings.mac, detail.lockMac],
    [strings.model, detail.modelNum],
    [strings.hardware, detail.hardwareRevision],
    [strings.firmware, detail.firmwareRevision],
    [strings.timeZone, offsetText(detail.timezoneRawOffset)],
    [strings.registered, dateTime(detail.date)],
  ].filter(([, text]) => text !== '');
  return (
    <section class="panel" aria-labelledby="details">
      <div class="page-title">
        <h2 id="details">{strings.details}</h2>
        <Button onClick={() => setRenaming(true)}>{strings.rename}</Button>
      </div>
      <dl class="details">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        {detail.noKeyPwd !== '' && (
          <div>
            <dt>{strings.superPasscode}</dt>
            <dd>
              {isPasscodeShown ? (
                detail.noKeyPwd
              ) : (
                <Button kind="quiet" label={`${strings.superPasscode}: ${strings.show}`} onClick={() => setPasscodeShown(true)}>
                  {strings.show}
                </Button>
              )}
            </dd>
          </div>
        )}
      </dl>
      {isRenaming && <RenameDialog detail={detail} onClose={() => setRenaming(false)} onDone={reload} />}
    </section>
  );
}

function RenameDialog({ detail, onClose, onDone }: { detail: LockDetail; onClose: () => void; onDone: () => void }) {
  const { client, toasts } = useApp();
  const { lock: strings, common } = useStrings();
  return (
    <FormDialog
      title={strings.rename}
      onClose={onClose}
      submit={common.save}
      required={['lockAlias']}
      onSubmit={async (values) => {
        await client.ask('PUT', 'lock/rename', { query: { lockId: detail.lockId, lockAlias: values.text('lockAlias') } });
        toasts.show('good', strings.renamed);
        onDone();
        onClose();
      }}
    >
      {(errorOf) => (
        <TextField
          label={strings.alias}
          name="lockAlias"
          value={detail.lockAlias}
          maxLength={64}
          error={errorOf('lockAlias')}
          required
          autoFocus
        />
      )}
    </FormDialog>
  );
}

/** `UTC+01:00` for 3600000 ms. */
function offsetText(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000;
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
  return `UTC${offsetMs < 0 ? '−' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
