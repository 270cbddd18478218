// Locks that want to be registered: those that make their own keys, whose fingerprint a person compares while pairing is open, and those that
// programs on a bridge announce.
import { useState } from 'preact/hooks';
import type { Page } from '../api/client.ts';
import type { AnnouncedDevice, PendingDevice } from '../api/registration-types.ts';
import type { GatewayStatus } from '../api/types.ts';
import { useApp, useStrings } from '../app.ts';
import { Button } from '../components/button.tsx';
import { Loading, ProblemCallout } from '../components/callout.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Pager } from '../components/pager.tsx';
import { usePolled } from '../components/polled.ts';
import { useProblemText } from '../format.ts';
import { Announced, RegisterAnnounced } from './pairing-announced.tsx';
import { ConfirmDevice } from './pairing-confirm.tsx';
import { WaitingDevice } from './pairing-device.tsx';
import { TimeLeft } from './pairing-time-left.tsx';

const openForSeconds = 300;
const askEveryMs = 1_500;

export function PairingPage() {
  const { pairing, makes } = useStrings();
  const { client, toasts } = useApp();
  const text = useProblemText();
  const status = usePolled<GatewayStatus>('gateway/status', askEveryMs);
  const [pageNo, turnTo] = useState(1);
  const devices = usePolled<Page<PendingDevice | AnnouncedDevice>>(`gateway/devices?pageSize=50&pageNo=${pageNo}`, askEveryMs);
  const [confirming, setConfirming] = useState<PendingDevice | AnnouncedDevice>();
  const found = devices.value;
  const waiting = (found?.list ?? []).filter((device) => device.driver === null);
  const announced = (found?.list ?? []).filter((device) => device.driver !== null);
  const closeDate = status.value?.pairingCloseDate ?? null;
  const reload = () => {
    status.reload();
    devices.reload();
  };
  const open = () => ask(client.ask('POST', 'gateway/pairing', { body: { seconds: openForSeconds } }));
  const shut = () => ask(client.ask('DELETE', 'gateway/pairing'));
  const close = () => setConfirming(undefined);
  const finish = (text: string) => {
    close();
    toasts.show('good', text);
    reload();
  };
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
      {status.problem !== undefined && <ProblemCallout problem={status.problem} retry={reload} />}
      {status.value === undefined && status.problem === undefined && <Loading />}
      {status.value && closeDate === null && (
        <ol class="steps">
          {pairing.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {closeDate !== null && <OpenPairing until={closeDate} onLonger={open} onClose={shut} devices={waiting} onConfirm={setConfirming} />}
      {announced.length > 0 && (
        <section class="announced" aria-labelledby="announced">
          <h2 id="announced">{pairing.announced}</h2>
          <p class="faint">{pairing.announcedText}</p>
          <ul class="devices">
            {announced.map((device) => (
              <li key={device.deviceId}>
                <Announced device={device} onConfirm={() => setConfirming(device)} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {found && <Pager {...found} onTurn={turnTo} />}
      {confirming &&
        (confirming.driver === null ? (
          <ConfirmDevice device={confirming} onClose={close} onDone={(name) => finish(pairing.confirmed(name))} />
        ) : (
          <RegisterAnnounced device={confirming} onClose={close} onDone={(name) => finish(makes.added(name))} />
        ))}
    </>
  );
}

interface OpenPairingProps {
  /** Unix milliseconds. */
  readonly until: number;
  readonly onLonger: () => void;
  readonly onClose: () => void;
  readonly devices: readonly PendingDevice[];
  readonly onConfirm: (device: PendingDevice) => void;
}

/** Pairing is open: how long, and who waits. */
function OpenPairing({ until, onLonger, onClose, devices, onConfirm }: OpenPairingProps) {
  const { pairing } = useStrings();
  return (
    <>
      <div class="panel window">
        <p>
          <span class="spinner" /> {pairing.isOpen} <TimeLeft until={until} />
        </p>
        <div class="buttons">
          <Button onClick={onLonger}>{pairing.longer}</Button>
          <Button onClick={onClose}>{pairing.close}</Button>
        </div>
      </div>
      <section aria-labelledby="waiting">
        <h2 id="waiting">{pairing.waiting}</h2>
        <p class="unseen" role="status">
          {pairing.count(devices.length)}
        </p>
        {devices.length === 0 && <p class="empty">{pairing.nobody}</p>}
        <ul class="devices">
          {devices.map((device) => (
            <li key={`${device.deviceId} ${device.keyFingerprint}`}>
              <WaitingDevice device={device} onConfirm={() => onConfirm(device)} />
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
