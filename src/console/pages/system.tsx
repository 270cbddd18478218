// The status of the gateway itself: what a caretaker looks at first, and the facts that support asks for.
import type { ComponentChildren } from 'preact';
import type { Page } from '../api/client.ts';
import type { Bridge } from '../api/registration-types.ts';
import type { GatewayStatus } from '../api/types.ts';
import { useStrings } from '../app.ts';
import { Callout, Loading, ProblemCallout } from '../components/callout.tsx';
import { PageHead } from '../components/page-head.tsx';
import { usePolled } from '../components/polled.ts';
import { useFormats } from '../format.ts';
import { parts } from '../upkeep/upkeep-parts.ts';

const { backups: Backups, certificate: Certificate, warnings: Warnings } = parts;

const askEveryMs = 5_000;
const dayMs = 86_400_000;
/** The gateway renews its own certificates long before this; for certificates of others the page asks for a renewal from then on. */
const certificateWarningMs = 30 * dayMs;
/** There is a backup each night; one of them may be late. */
const backupWarningMs = 2 * dayMs;
const diskWarningBytes = 500_000_000;

export function SystemPage() {
  const { system } = useStrings();
  const { value: status, problem, reload } = usePolled<GatewayStatus>('gateway/status', askEveryMs);
  const bridges = usePolled<Page<Bridge>>('gateway/bridges', askEveryMs);
  return (
    <>
      <PageHead title={system.title} intro={system.intro} />
      {problem !== undefined && <ProblemCallout problem={problem} retry={reload} />}
      {status === undefined ? problem === undefined && <Loading /> : <StatusPanels status={status} bridges={bridges.value?.list ?? []} />}
    </>
  );
}

function StatusPanels({ status, bridges }: { status: GatewayStatus; bridges: readonly Bridge[] }) {
  const { system, common } = useStrings();
  const { dateTime, bytes, duration, number } = useFormats();
  const { storage, listeners, certificates, backupDate } = status;
  const now = Date.now();
  const startedAt = now - status.uptimeSeconds * 1_000;
  const isWorking = storage.health === 'ok';
  return (
    <>
      {!isWorking && <Callout kind="bad">{system.storageBad(storage.health)}</Callout>}
      {status.clockIsSuspect && <Callout kind="warning">{system.clockBad}</Callout>}
      <div class="status-panels">
        <Panel title={system.gateway}>
          <Figure name={system.version}>{status.version}</Figure>
          <Figure name={system.uptime}>{duration(status.uptimeSeconds)}</Figure>
          <Figure name={system.locks}>{system.online(status.online, status.locks)}</Figure>
          <Figure name={system.alarms} isBad={status.alarms > 0}>
            {number(status.alarms)}
          </Figure>
          <Figure name={system.clock} isBad={status.clockIsSuspect}>
            {status.clockIsSuspect ? system.clockSuspect : system.clockGood}
          </Figure>
        </Panel>
        <Panel title={system.storage}>
          <Figure name={system.disk} isBad={!isWorking}>
            {isWorking ? system.diskWorks : system.diskFails}
          </Figure>
          <Figure name={system.free} isBad={(storage.freeBytes ?? diskWarningBytes) < diskWarningBytes}>
            {storage.freeBytes === null ? system.notKnown : bytes(storage.freeBytes)}
          </Figure>
          <Figure name={system.records}>{number(status.records)}</Figure>
          <Figure name={system.backup} isBad={now - (backupDate ?? startedAt) > backupWarningMs}>
            {backupDate === null ? common.never : dateTime(backupDate)}
          </Figure>
        </Panel>
        <Panel title={system.network}>
          {Object.entries(listeners).map(([scheme, { host, port }]) => (
            <Figure key={scheme} name={system.listener(scheme)}>
              <code>{host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`}</code>
            </Figure>
          ))}
          {bridges.map((bridge) => (
            <Figure key={bridge.name} name={system.bridge(bridge.name)} isBad={!bridge.connected || away(bridge).length > 0}>
              {bridge.connected ? system.bridgeWorks(bridge.locks, away(bridge).join(', ')) : system.bridgeAway(bridge.reason)}
            </Figure>
          ))}
          {Object.entries(certificates).map(([scheme, expires]) => (
            <Figure key={scheme} name={system.certificate(scheme)} isBad={expires - now < certificateWarningMs}>
              {system.until(dateTime(expires))}
            </Figure>
          ))}
        </Panel>
      </div>
      <Certificate />
      <Backups />
      <Warnings />
      <p class="more">
        <a href="docs">{system.api}</a>
      </p>
    </>
  );
}

/** The programs on it that do not run. */
function away({ drivers }: Bridge): readonly string[] {
  return drivers.filter(({ online }) => !online).map(({ kind }) => kind);
}

function Panel({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      <dl>{children}</dl>
    </section>
  );
}

function Figure({ name, isBad = false, children }: { name: string; isBad?: boolean; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isBad ? 'bad' : undefined}>{children}</dd>
    </div>
  );
}
