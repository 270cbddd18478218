// Home Assistant: whether it is reached, what it is told of, what it asked for in vain, and the code that it asks people for.
import { useState } from 'preact/hooks';
import { useApp } from '../app.ts';
import { Ago } from '../components/ago.tsx';
import { Button } from '../components/button.tsx';
import { Callout, Loading, ProblemCallout } from '../components/callout.tsx';
import { ConfirmDialog, FormDialog } from '../components/dialog.tsx';
import { Fact, FactPanel } from '../components/fact-panel.tsx';
import { TextField } from '../components/field.tsx';
import { LinesToCopy } from '../components/lines-to-copy.tsx';
import { PageHead } from '../components/page-head.tsx';
import { usePolled } from '../components/polled.ts';
import { useFormats } from '../format.ts';
import { useTexts } from './texts.ts';
import type { HomeAssistant } from './types.ts';

const askEveryMs = 5_000;
const path = 'gateway/home-assistant';
const codePath = `${path}/code`;

const lines = `homeAssistant:
  enabled: true
  url: mqtts://homeassistant.local:8883
  username: latchd
  passwordFile: /etc/latchd/mqtt.password
  account: home-assistant
  # true: it may lock and unlock, as the account may
  commands: false`;

export function HomeAssistantPage() {
  const { homeAssistant: texts } = useTexts();
  const { value, problem, reload } = usePolled<HomeAssistant>(path, askEveryMs);
  return (
    <>
      <PageHead title={texts.title} intro={texts.intro} />
      {problem !== undefined && <ProblemCallout problem={problem} retry={reload} />}
      {value === undefined && problem === undefined && <Loading />}
      {value?.enabled === false && (
        <>
          <Callout kind="info">{texts.off}</Callout>
          <p>{texts.howTo}</p>
          <LinesToCopy label={texts.lines} lines={lines} />
          <p>{texts.afterwards}</p>
        </>
      )}
      {value?.enabled && <Configured status={value} reload={reload} />}
    </>
  );
}

function Configured({ status, reload }: { readonly status: HomeAssistant; readonly reload: () => void }) {
  const { homeAssistant: texts } = useTexts();
  const { connected, gatewayId, locks, lastError, commands, refused } = status;
  const account = status.account ?? '';
  return (
    <>
      {(refused['late'] ?? 0) > 0 && <Callout kind="warning">{texts.lateHint}</Callout>}
      {connected && lastError !== null && <Callout kind="warning">{texts.denied(lastError)}</Callout>}
      {connected && locks === 0 && <Callout kind="info">{texts.noLocks(account)}</Callout>}
      <div class="status-panels">
        <FactPanel title={texts.connection}>
          <Fact name={texts.state} isBad={!connected}>
            {connected ? texts.connected : texts.notConnected(lastError ?? '')}
          </Fact>
          <Fact name={texts.account}>{account}</Fact>
          <Fact name={texts.locks}>{texts.locksText(locks)}</Fact>
          <Fact name={texts.commands}>{commands ? texts.commandsOn : texts.commandsOff}</Fact>
          <Fact name={texts.gatewayId}>
            <code>{gatewayId}</code>
          </Fact>
        </FactPanel>
        {commands && <Refused {...status} />}
        {commands && <Code hasCode={status.hasCode} reload={reload} />}
      </div>
    </>
  );
}

function Refused({ refused, lastRefusal }: HomeAssistant) {
  const { homeAssistant: texts } = useTexts();
  const { number } = useFormats();
  const { live } = useApp();
  const nameOf = (reason: string) => texts.reasons[reason] ?? reason;
  const counts = Object.entries(refused).filter(([, times]) => times > 0);
  if (counts.length === 0) {
    return (
      <section class="panel">
        <h2>{texts.refused}</h2>
        <p class="faint">{texts.noneRefused}</p>
      </section>
    );
  }
  const lock = lastRefusal?.lockId == null ? undefined : live.locks.value?.get(lastRefusal.lockId);
  return (
    <FactPanel title={texts.refused}>
      {counts.map(([reason, times]) => (
        <Fact key={reason} name={nameOf(reason)}>
          {number(times)}
        </Fact>
      ))}
      {lastRefusal && (
        <Fact name={texts.last}>
          {nameOf(lastRefusal.reason)}, <Ago at={lastRefusal.at} />
          {lock && `, ${lock.lockAlias}`}
        </Fact>
      )}
    </FactPanel>
  );
}

function Code({ hasCode, reload }: { readonly hasCode: boolean; readonly reload: () => void }) {
  const { homeAssistant: texts } = useTexts();
  const { client, toasts } = useApp();
  const [open, setOpen] = useState<'set' | 'remove'>();
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    toasts.show('good', text);
    reload();
  };
  return (
    <section class="panel">
      <h2>{texts.code}</h2>
      <p>{texts.codeText}</p>
      <p>{hasCode ? texts.hasCode : texts.noCode}</p>
      <div class="buttons">
        <Button onClick={() => setOpen('set')}>{texts.setCode}</Button>
        {hasCode && (
          <Button kind="danger" onClick={() => setOpen('remove')}>
            {texts.removeCode}
          </Button>
        )}
      </div>
      {open === 'set' && (
        <FormDialog
          title={texts.setCode}
          required={['code']}
          onClose={close}
          onSubmit={async (values) => {
            await client.ask('PUT', codePath, { body: { code: values.text('code') } });
            done(texts.codeSet);
          }}
        >
          {(errorOf) => (
            <TextField
              label={texts.newCode}
              name="code"
              hint={texts.newCodeHint}
              error={errorOf('code')}
              required
              maxLength={9}
              autoFocus
            />
          )}
        </FormDialog>
      )}
      {open === 'remove' && (
        <ConfirmDialog
          title={texts.removeCode}
          text={texts.removeCodeText}
          confirm={texts.removeCode}
          onClose={close}
          onConfirm={async () => {
            await client.ask('DELETE', codePath);
            done(texts.codeRemoved);
          }}
        />
      )}
    </section>
  );
}
