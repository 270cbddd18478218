// The cards and passcodes of a person.
import { useState } from 'preact/hooks';
import { Problem } from '../../api/problem.ts';
import { useApp, useStrings } from '../../app.ts';
import { isCardNumber } from '../../card-number.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { Table } from '../../components/table.tsx';
import { ValidityFields, validityOf } from '../../components/validity.tsx';
import { ValidityText } from '../../components/validity-text.tsx';
import { useFormats } from '../../format.ts';
import { go, href } from '../../router.ts';
import { useTexts } from '../texts.ts';
import type { Credential, Person } from '../types.ts';
import { EnrolDialog } from './enrol.tsx';

type Open =
  | { readonly what: 'card' | 'passcode' | 'enrol' }
  | { readonly what: 'lost' | 'found' | 'back'; readonly credential: Credential }
  | { readonly what: 'secret'; readonly passcode: string };

interface PersonCredentialsProps {
  readonly person: Person;
  readonly onChange: () => void;
}

export function PersonCredentials({ person, onChange }: PersonCredentialsProps) {
  const { person: texts } = useTexts();
  const { common } = useStrings();
  const { toasts } = useApp();
  const { dateTime } = useFormats();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    toasts.show('good', text);
    onChange();
  };
  const titleOf = ({ name, cardNumber, kind }: Credential) => name || cardNumber || texts.kind[kind];
  const action = (text: string, what: 'lost' | 'found' | 'back', credential: Credential, kind: 'quiet' | 'danger' = 'quiet') => (
    <Button kind={kind} label={texts.actionOf(text, titleOf(credential))} onClick={() => setOpen({ what, credential })}>
      {text}
    </Button>
  );
  return (
    <section aria-labelledby="credentials">
      <div class="section-head">
        <h2 id="credentials">{texts.credentials}</h2>
        <div class="buttons">
          <Button icon="plus" onClick={() => setOpen({ what: 'card' })}>
            {texts.addCard}
          </Button>
          <Button onClick={() => setOpen({ what: 'enrol' })}>{texts.enrol}</Button>
          <Button onClick={() => setOpen({ what: 'passcode' })}>{texts.makePasscode}</Button>
        </div>
      </div>
      {person.credentials.length === 0 ? (
        <p class="empty">{texts.noCredentials}</p>
      ) : (
        <Table
          caption={texts.credentials}
          rows={person.credentials}
          keyOf={({ credentialId }) => credentialId}
          columns={[
            {
              title: texts.passcodeName,
              cell: ({ name, kind, lost }) => (
                <>
                  {name === '' ? <span class="faint">{texts.unnamed}</span> : <strong>{name}</strong>}
                  <span class="below">{texts.kind[kind]}</span>
                  {lost !== null && <span class="tag bad">{texts.lostSince(dateTime(lost.date))}</span>}
                </>
              ),
            },
            { title: texts.number, cell: ({ cardNumber }) => (cardNumber === null ? '••••' : <code>{cardNumber}</code>) },
            { title: texts.validity, cell: (credential) => <ValidityText {...credential} /> },
            {
              title: common.actions,
              actions: true,
              cell: (credential) =>
                credential.lost === null ? (
                  <>
                    {action(credential.kind === 'card' ? texts.lost : texts.lostCode, 'lost', credential, 'danger')}
                    {action(texts.giveBack, 'back', credential)}
                  </>
                ) : (
                  <>
                    <a class="button quiet" href={href('revocations', 'credential', credential.credentialId)}>
                      {texts.report}
                    </a>
                    {action(texts.found, 'found', credential)}
                  </>
                ),
            },
          ]}
        />
      )}
      {open?.what === 'card' && <AddCardDialog person={person} onClose={close} onDone={done} />}
      {open?.what === 'enrol' && <EnrolDialog personId={person.personId} onClose={close} onDone={done} />}
      {open?.what === 'passcode' && (
        <MakePasscodeDialog
          person={person}
          onClose={close}
          onMade={(passcode) => {
            setOpen({ what: 'secret', passcode });
            onChange();
          }}
        />
      )}
      {open?.what === 'secret' && (
        <SecretDialog
          title={texts.passcodeTitle}
          text={texts.passcodeText}
          secrets={[{ label: texts.kind.passcode, value: open.passcode }]}
          onClose={close}
        />
      )}
      {open !== undefined && 'credential' in open && (
        <CredentialDialog
          what={open.what}
          person={person}
          credential={open.credential}
          title={titleOf(open.credential)}
          onClose={close}
          onDone={done}
        />
      )}
    </section>
  );
}

interface DialogProps {
  readonly person: Person;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function AddCardDialog({ person, onClose, onDone }: DialogProps) {
  const { client } = useApp();
  const strings = useStrings();
  const { person: texts } = useTexts();
  return (
    <FormDialog
      title={texts.addCard}
      required={['cardNumber']}
      onClose={onClose}
      onSubmit={async (values) => {
        const cardNumber = values.text('cardNumber').replaceAll(/[\s-]/g, '');
        if (!isCardNumber(cardNumber)) throw new Problem('invalid-parameter', '', new Map([['cardNumber', strings.cards.numberWrong]]));
        const body = { kind: 'card', cardNumber, name: values.text('name'), ...validityOf(values, strings) };
        await client.ask('POST', `access/people/${person.personId}/credentials`, { body });
        onDone(texts.cardAdded);
      }}
    >
      {(errorOf) => (
        <>
          <TextField label={texts.passcodeName} name="name" maxLength={64} error={errorOf('name')} autoFocus />
          <TextField
            label={strings.cards.number}
            name="cardNumber"
            hint={strings.cards.numberHint}
            error={errorOf('cardNumber')}
            required
          />
          <ValidityFields errorOf={errorOf} />
        </>
      )}
    </FormDialog>
  );
}

function MakePasscodeDialog({ person, onClose, onMade }: Omit<DialogProps, 'onDone'> & { readonly onMade: (passcode: string) => void }) {
  const { client } = useApp();
  const strings = useStrings();
  const { person: texts } = useTexts();
  return (
    <FormDialog
      title={texts.makePasscode}
      onClose={onClose}
      onSubmit={async (values) => {
        const body = { kind: 'passcode', name: values.text('name'), ...validityOf(values, strings) };
        const path = `access/people/${person.personId}/credentials`;
        onMade((await client.ask<{ passcode: string }>('POST', path, { body })).passcode);
      }}
    >
      {(errorOf) => (
        <>
          <TextField label={texts.passcodeName} name="name" maxLength={64} hint={texts.passcodeHint} error={errorOf('name')} autoFocus />
          <ValidityFields errorOf={errorOf} />
        </>
      )}
    </FormDialog>
  );
}

interface CredentialDialogProps extends DialogProps {
  readonly what: 'lost' | 'found' | 'back';
  readonly credential: Credential;
  readonly title: string;
}

function CredentialDialog({ what, person, credential: { credentialId }, title, onClose, onDone }: CredentialDialogProps) {
  const { client } = useApp();
  const { person: texts } = useTexts();
  const path = `access/credentials/${credentialId}`;
  if (what === 'lost')
    return (
      <FormDialog
        title={texts.lostTitle(title)}
        submit={texts.lost}
        danger
        onClose={onClose}
        onSubmit={async (values) => {
          await client.ask('POST', `${path}/lost`, { body: { reason: values.text('reason') } });
          go('revocations', 'credential', credentialId);
        }}
      >
        {(errorOf) => (
          <>
            <p>{texts.lostText}</p>
            <TextField label={texts.reason} name="reason" maxLength={256} error={errorOf('reason')} autoFocus />
          </>
        )}
      </FormDialog>
    );
  const isFound = what === 'found';
  return (
    <ConfirmDialog
      title={texts.actionOf(isFound ? texts.found : texts.giveBack, title)}
      text={isFound ? texts.foundText : texts.giveBackText}
      confirm={isFound ? texts.found : texts.giveBack}
      danger={!isFound}
      onClose={onClose}
      onConfirm={async () => {
        if (isFound) await client.ask('POST', `${path}/found`);
        else await client.ask('DELETE', `access/people/${person.personId}/credentials/${credentialId}`);
        onDone(isFound ? texts.foundDone : texts.givenBack);
      }}
    />
  );
}
