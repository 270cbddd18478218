// Pairing of locks that make their own keys: opens and closes it, lists the waiting locks, and lets a person compare the fingerprint.
import { useState } from 'preact/hooks';
import type { Page } from '../api/client.ts';
import type { GatewayStatus, PendingDevice } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Loading, ProblemNotice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { usePolled } from '../components/polled.ts';
import { useProblemText } from '../format.ts';
import { ConfirmDevice } from './pairing-confirm.tsx';
import { WaitingDevice } from './pairing-device.tsx';
import { TimeLeft } from './pairing-time-left.tsx';

const openForSeconds = 300;
const askEveryMs = 1_500;

export function PairingPage() {
  const { pairing } = useStrings();
  const { client, toasts } = useApp();
  const text = useProblemText();
  const status = usePolled<GatewayStatus>('gateway/status', askEveryMs);
  const devices = usePolled<Page<PendingDevice>>('gateway/devices?pageSize=100', askEveryMs);
  const [confirming, setConfirming] = useState<PendingDevice>();
  const waiting = devices.value?.list ?? [];
  const closeDate = status.value?.pairingCloseDate ?? null;
  const reload = () => {
    status.reload();
    devices.reload();
  };
  const open = () => ask(client.ask('POST', 'gateway/pairing', { body: { seconds: openForSeconds } }));
  const shut = () => ask(client.ask('DELETE', 'gateway/pairing'));
  const ask = (work: Promise<unknown>) => void work.then(reload, (error: unknown) => toasts.show('bad', text(error)));

  return (
    <>
      <PageHead title={pairing.title} intro={pairing.intro}>
        {status.value && closeDate === null && (
          <Button kind="main" onClick={open}>
            {pairing.open}
          </Button>
        )}
      </PageHead>
      {status.problem !== undefined && <ProblemNotice problem={status.problem} retry={reload} />}
      {status.value === undefined && status.problem === undefined && <Loading />}
      {status.value && closeDate === null && (
        <ol class="steps">
          {pairing.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {closeDate !== null && (
        <>
          <div class="panel window">
            <p>
              <span class="spinner" /> {pairing.isOpen} <TimeLeft until={closeDate} />
            </p>
            <div class="buttons">
              <Button onClick={open}>{pairing.longer}</Button>
              <Button onClick={shut}>{pairing.close}</Button>
            </div>
          </div>
          <section aria-labelledby="waiting">
            <h2 id="waiting">{pairing.waiting}</h2>
            <p class="unseen" role="status">
              {pairing.count(waiting.length)}
            </p>
            {waiting.length === 0 && <p class="empty">{pairing.nobody}</p>}
            <ul class="devices">
              {waiting.map((device) => (
                <li key={`${device.deviceId} ${device.keyFingerprint}`}>
                  <WaitingDevice device={device} onConfirm={() => setConfirming(device)} />
                </li>
              ))}
            </ul>
          </section>
        </>
      )}
      {confirming && (
        <ConfirmDevice
          device={confirming}
          onClose={() => setConfirming(undefined)}
          onDone={(name) => {
            setConfirming(undefined);
            toasts.show('good', pairing.confirmed(name));
            reload();
          }}
        />
      )}
    </>
  );
}
