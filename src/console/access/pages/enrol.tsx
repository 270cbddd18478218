// A card becomes a person's by being held to a door, within a time that somebody opened for it.
import { useEffect, useState } from 'preact/hooks';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout, ProblemCallout } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useEvery } from '../../components/polled.ts';
import { useTexts } from '../texts.ts';
import type { Enrolment } from '../types.ts';

interface EnrolDialogProps {
  readonly personId: number;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

interface Begun {
  readonly enrolmentId: string;
  readonly lockId: number;
}

const askEveryMs = 1_000;

export function EnrolDialog({ personId, onClose, onDone }: EnrolDialogProps) {
  const { enrol: texts } = useTexts();
  const { client, live } = useApp();
  const [begun, setBegun] = useState<Begun>();
  const own = [...(live.locks.value?.values() ?? [])].filter(({ role }) => role !== 'operator');
  const [chosen, setChosen] = useState(() => String(own.find(({ online }) => online)?.lockId ?? ''));
  // A door that goes away meanwhile stays chosen: another one in its place would wait for the card.
  const doors = own.filter(({ lockId, online }) => online || String(lockId) === chosen);
  const nameOf = (lockId: number) => live.locks.value?.get(lockId)?.lockAlias ?? '';
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {begun === undefined ? (
        <Form
          submit={texts.begin}
          onCancel={onClose}
          onSubmit={async (values) => {
            const lockId = Number(values.text('lockId'));
            const body = { personId, lockId, seconds: Number(values.text('seconds')) };
            const { enrolmentId } = await client.ask<{ enrolmentId: string }>('POST', 'access/enrolments', { body });
            setBegun({ enrolmentId, lockId });
          }}
        >
          {(errorOf) => (
            <>
              <SelectField
                label={texts.lock}
                name="lockId"
                value={chosen}
                onInput={setChosen}
                error={errorOf('lockId')}
                options={doors.map(({ lockId, lockAlias }) => ({ value: String(lockId), text: lockAlias }))}
              />
              <TextField label={texts.seconds} name="seconds" type="number" value="60" min={10} max={300} error={errorOf('seconds')} />
            </>
          )}
        </Form>
      ) : (
        <Waiting begun={begun} door={nameOf(begun.lockId)} onAgain={() => setBegun(undefined)} onClose={onClose} onDone={onDone} />
      )}
    </Dialog>
  );
}

interface WaitingProps {
  readonly begun: Begun;
  readonly door: string;
  readonly onAgain: () => void;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function Waiting({ begun: { enrolmentId }, door, onAgain, onClose, onDone }: WaitingProps) {
  const { enrol: texts } = useTexts();
  const { common } = useStrings();
  const { client } = useApp();
  const [enrolment, setEnrolment] = useState<Enrolment>();
  const [problem, setProblem] = useState<unknown>();
  const path = `access/enrolments/${enrolmentId}`;
  const ask = () => client.get<Enrolment>(path).then(setEnrolment, setProblem);
  useEffect(() => void ask(), [path]);
  useEvery(askEveryMs, () => void ask());
  // Nobody waits for a card any more when the dialog is closed.
  useEffect(() => () => void client.ask('DELETE', path).catch(() => undefined), [path]);
  if (enrolment === undefined) return problem === undefined ? null : <ProblemCallout problem={problem} />;
  const { state, cardEnds = '', closeDate } = enrolment;
  if (state === 'waiting')
    return (
      <div class="form">
        <p role="status">
          <span class="spinner" /> {texts.waiting(door, Math.max(0, Math.ceil((closeDate - Date.now()) / 1000)))}
        </p>
        <div class="buttons">
          <Button onClick={onClose}>{common.cancel}</Button>
        </div>
      </div>
    );
  if (state === 'found')
    return (
      <Form
        submit={texts.confirm}
        onCancel={onClose}
        onSubmit={async () => {
          await client.ask('POST', `${path}/confirm`, { body: { cardEnds } });
          onDone(texts.confirmed);
        }}
      >
        {() => <p>{texts.found(cardEnds)}</p>}
      </Form>
    );
  return (
    <div class="form">
      <Callout kind="warning">{texts[state]}</Callout>
      <div class="buttons">
        <Button kind="main" onClick={onAgain}>
          {texts.again}
        </Button>
      </div>
    </div>
  );
}
