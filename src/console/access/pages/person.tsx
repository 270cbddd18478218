// One person: what they have, where it opens, and how far the locks are.
import { useEffect, useState } from 'preact/hooks';
import { useApp, useStrings } from '../../app.ts';
import { Button } from '../../components/button.tsx';
import { Callout, Loading, ProblemCallout } from '../../components/callout.tsx';
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { usePolled } from '../../components/polled.ts';
import type { PageProps } from '../../pages/page.ts';
import { go, href } from '../../router.ts';
import { useTexts } from '../texts.ts';
import type { Person } from '../types.ts';
import { PersonFields } from './people.tsx';
import { PersonCredentials } from './person-credentials.tsx';
import { PersonGrants } from './person-grants.tsx';

/** Between two questions while no live event says that something has changed. */
const askEveryMs = 5_000;

export function PersonPage({ parameters }: PageProps) {
  const path = `access/people/${Number(parameters['personId'])}`;
  const { people } = useTexts();
  const { live } = useApp();
  const { value: person, problem, reload } = usePolled<Person>(path, askEveryMs);
  useEffect(() => live.listen(({ type }) => type === 'entry' && reload()), [live, reload]);
  const up = { href: href('people'), text: people.title };
  if (person === undefined) {
    if (problem === undefined) return <Loading />;
    return (
      <>
        <PageHead title={people.title} up={up} />
        <ProblemCallout problem={problem} retry={reload} />
      </>
    );
  }
  return (
    <>
      <PersonHead person={person} path={path} onChange={reload} up={up} />
      <PersonCredentials person={person} onChange={reload} />
      <PersonGrants person={person} onChange={reload} />
    </>
  );
}

interface PersonHeadProps {
  readonly person: Person;
  readonly path: string;
  readonly up: { readonly href: string; readonly text: string };
  readonly onChange: () => void;
}

function PersonHead({ person, path, up, onChange }: PersonHeadProps) {
  const { person: texts } = useTexts();
  const { common } = useStrings();
  const { client, toasts } = useApp();
  const [open, setOpen] = useState<'edit' | 'suspend' | 'remove'>();
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    toasts.show('good', text);
    onChange();
  };
  const put = (body: object) => client.ask('PUT', path, { body });
  return (
    <>
      <PageHead title={person.name} intro={[person.externalId, person.note].filter(Boolean).join(' · ')} up={up}>
        <Button onClick={() => setOpen('edit')}>{texts.edit}</Button>
        <Button onClick={() => setOpen('suspend')}>{person.suspended ? texts.unsuspend : texts.suspend}</Button>
        <Button kind="quiet" onClick={() => setOpen('remove')}>
          {common.remove}
        </Button>
      </PageHead>
      {person.suspended && <Callout kind="warning">{texts.suspendedNow}</Callout>}
      {open === 'edit' && (
        <FormDialog
          title={texts.edit}
          submit={common.save}
          required={['name']}
          onClose={close}
          onSubmit={async (values) => {
            const externalId = values.text('externalId');
            await put({ name: values.text('name'), externalId: externalId === '' ? null : externalId, note: values.text('note') });
            done(texts.saved);
          }}
        >
          {(errorOf) => <PersonFields errorOf={errorOf} person={person} />}
        </FormDialog>
      )}
      {open === 'suspend' && (
        <ConfirmDialog
          title={person.suspended ? texts.unsuspend : texts.suspend}
          text={person.suspended ? texts.unsuspendText : texts.suspendText}
          confirm={person.suspended ? texts.unsuspend : texts.suspend}
          danger={!person.suspended}
          onClose={close}
          onConfirm={async () => {
            await put({ suspended: !person.suspended });
            done(texts.saved);
          }}
        />
      )}
      {open === 'remove' && (
        <ConfirmDialog
          title={texts.remove}
          text={texts.removeText}
          confirm={common.remove}
          onClose={close}
          onConfirm={async () => {
            await client.ask('DELETE', path);
            toasts.show('good', texts.removed);
            go('people');
          }}
        />
      )}
    </>
  );
}
