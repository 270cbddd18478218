// The backups: what there is, making one, and carrying one away.
import { useState } from 'preact/hooks';
import type { Page } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { useApp } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Callout, Loading, ProblemCallout } from '../components/callout.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { usePolled } from '../components/polled.ts';
import { SecretField } from '../components/secret-dialog.tsx';
import { Table } from '../components/table.tsx';
import { useFormats, useProblemText } from '../format.ts';
import { saveFile } from '../save-as.ts';
import { useTexts } from './texts.ts';

const askEveryMs = 2_000;

interface Backup {
  readonly name: string;
  readonly date: number;
  readonly bytes: number;
  readonly beforeUpgrade: boolean;
}

interface Making {
  readonly state: 'running' | 'done' | 'failed';
  readonly bytes: number;
  readonly name: string | null;
  readonly error: string | null;
}

export function BackupsPanel() {
  const { backups: texts } = useTexts();
  const { client, toasts } = useApp();
  const { dateTime, bytes } = useFormats();
  const text = useProblemText();
  const { value, problem, reload } = usePolled<Page<Backup> & { readonly making: Making | null }>('gateway/backups', askEveryMs);
  const [chosen, setChosen] = useState<string>();
  const making = value?.making ?? null;
  const begin = () => client.ask('POST', 'gateway/backups').then(reload, (error: unknown) => toasts.show('bad', text(error)));
  return (
    <section class="upkeep">
      <h2>{texts.title}</h2>
      <p>{texts.intro}</p>
      <div aria-live="polite">
        {making?.state === 'running' && <p>{texts.making(bytes(making.bytes))}</p>}
        {making?.state === 'done' && <p>{texts.done(making.name ?? '')}</p>}
        {making?.state === 'failed' && <Callout kind="bad">{texts.failed(making.error ?? '')}</Callout>}
      </div>
      <p>
        <Button busy={making?.state === 'running'} onClick={() => void begin()}>
          {texts.make}
        </Button>
      </p>
      {problem !== undefined && <ProblemCallout problem={problem} retry={reload} />}
      {value === undefined && problem === undefined && <Loading />}
      {value?.total === 0 && <p class="empty">{texts.none}</p>}
      {value !== undefined && value.total > 0 && (
        <Table
          caption={texts.title}
          rows={value.list}
          keyOf={({ name }) => name}
          columns={[
            {
              title: texts.name,
              cell: ({ name, beforeUpgrade }) => (
                <>
                  <code class="long">{name}</code>
                  {beforeUpgrade && <small> {texts.beforeUpgrade}</small>}
                </>
              ),
            },
            { title: texts.date, cell: ({ date }) => dateTime(date) },
            { title: texts.size, cell: ({ bytes: size }) => bytes(size) },
            {
              title: texts.download,
              actions: true,
              cell: ({ name }) => (
                <Button label={texts.downloadOf(name)} onClick={() => setChosen(name)}>
                  {texts.download}
                </Button>
              ),
            },
          ]}
        />
      )}
      {chosen !== undefined && <DownloadDialog name={chosen} onClose={() => setChosen(undefined)} />}
    </section>
  );
}

function DownloadDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { backups: texts } = useTexts();
  const { client } = useApp();
  return (
    <FormDialog
      title={texts.downloadOf(name)}
      submit={texts.download}
      required={['passphrase', 'again']}
      onClose={onClose}
      onSubmit={async (values) => {
        // As it is typed: the program that opens the file takes it so, blanks and all.
        const passphrase = values.typed('passphrase');
        if (passphrase !== values.typed('again')) {
          throw new Problem('invalid-parameter', '', new Map([['again', texts.differ]]));
        }
        saveFile(`${name}.age`, await client.file(`gateway/backups/${encodeURIComponent(name)}/download`, { passphrase }));
        onClose();
      }}
    >
      {(errorOf) => (
        <>
          <TextField
            type="password"
            name="passphrase"
            label={texts.passphrase}
            hint={texts.passphraseHint}
            error={errorOf('passphrase')}
            required
            autoFocus
          />
          <TextField type="password" name="again" label={texts.again} error={errorOf('again')} required />
          <SecretField label={texts.open} value={`age --decrypt --output ${name} ${name}.age`} />
        </>
      )}
    </FormDialog>
  );
}
