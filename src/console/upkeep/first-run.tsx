// What is to be done at a gateway without a lock. What is done is told by the gateway, not by what was clicked.
import type { ComponentChildren } from 'preact';
import type { Page } from '../api/client.ts';
import type { GatewayStatus } from '../api/types.ts';
import { Loading } from '../components/callout.tsx';
import { Icon } from '../components/icon.tsx';
import { usePolled } from '../components/polled.ts';
import { type Reach, servedAt, simulatorCommand } from './reach.ts';
import { useTexts } from './texts.ts';

const askEveryMs = 5_000;

export function FirstRun() {
  const { firstRun: texts } = useTexts();
  const { value: status } = usePolled<GatewayStatus>('gateway/status', askEveryMs);
  const { value: accounts } = usePolled<Page<object>>('gateway/accounts?pageSize=2', askEveryMs);
  const { value: reach } = usePolled<Reach>('gateway/reach', askEveryMs);
  if (status === undefined || accounts === undefined || reach === undefined) return <Loading />;
  const { accounts: people, locks, roles, simulated } = texts;
  const command = simulatorCommand(status.listeners, reach.service);
  return (
    <section class="upkeep">
      <h2>{texts.title}</h2>
      <p>{texts.intro}</p>
      <ol class="first-run">
        <NameStep reach={reach} />
        <ReachStep reach={reach} status={status} />
        <Step title={people.title} isDone={accounts.total > 1}>
          <p>
            {people.text} <a href="#/accounts">{people.link}</a>
          </p>
        </Step>
        <Step title={locks.title} isDone={status.locks > 0}>
          <p>
            {locks.text} <a href="#/pairing">{locks.pairing}</a> · <a href="#/registered">{locks.register}</a>
          </p>
        </Step>
        {/* Whoever registers a lock has a role on it: somebody else has registered these. */}
        {status.locks > 0 && (
          <Step title={roles.title} isDone={false}>
            <p>
              {roles.text} <a href="#/accounts">{people.link}</a>
            </p>
          </Step>
        )}
      </ol>
      {command !== undefined && (
        <>
          <h3>{simulated.title}</h3>
          <p>
            {reach.service ? simulated.source : simulated.text} <code class="long">{command}</code>
          </p>
        </>
      )}
    </section>
  );
}

function NameStep({ reach: { names, service } }: { readonly reach: Reach }) {
  const { firstRun } = useTexts();
  const { name, restart } = firstRun;
  return (
    <Step title={name.title} isDone={names.length > 0}>
      <p>{names.length > 0 ? name.found(names.join(', ')) : name.none}</p>
      <p>
        {name.more} <code>{service ? restart.service : restart.byHand}</code>
      </p>
    </Step>
  );
}

function ReachStep({ reach, status: { listeners } }: { readonly reach: Reach; readonly status: GatewayStatus }) {
  const { firstRun } = useTexts();
  const { reach: texts, restart } = firstRun;
  const { url, service, certificate } = reach;
  // Of the gateway itself, or of a proxy in front of it.
  const isEncrypted = listeners['https'] !== undefined || url.startsWith('https:');
  return (
    <Step title={texts.title} isDone={isEncrypted}>
      <p>{texts.now(servedAt(listeners))}</p>
      {isEncrypted ? (
        <p>
          {texts.open} <code class="long">{url}</code>
        </p>
      ) : (
        <p>
          {texts.text} <code>{service ? restart.service : restart.byHand}</code>
        </p>
      )}
      {isEncrypted && (certificate === null ? <p>{texts.ofYours}</p> : <RootCertificate {...certificate} />)}
    </Step>
  );
}

/** The certificate that the devices of people are to trust: for a camera, and as a file. */
export function RootCertificate({ url, qr }: NonNullable<Reach['certificate']>) {
  const { firstRun } = useTexts();
  const { reach } = firstRun;
  return (
    <>
      <p>{reach.trust}</p>
      <img class="qr" src={`data:image/svg+xml,${encodeURIComponent(qr)}`} alt={reach.qr} />
      <p>
        <code class="long">{url}</code>
      </p>
      <p>
        <a href="ca.crt" download>
          {reach.certificate}
        </a>
      </p>
    </>
  );
}

function Step({ title, isDone, children }: { readonly title: string; readonly isDone: boolean; readonly children: ComponentChildren }) {
  const { firstRun } = useTexts();
  return (
    <li>
      <h3>
        {isDone && <Icon name="check" />} {title} <small>({isDone ? firstRun.done : firstRun.open})</small>
      </h3>
      {children}
    </li>
  );
}
