// The status of the gateway itself: what a caretaker looks at first, and the facts that support asks for.
import type { Page } from '../api/client.ts';
import type { Bridge } from '../api/registration-types.ts';
import type { GatewayStatus } from '../api/types.ts';
import { useStrings } from '../app.ts';
import { Callout, Loading, ProblemCallout } from '../components/callout.tsx';
import { Fact, FactPanel } from '../components/fact-panel.tsx';
import { PageHead } from '../components/page-head.tsx';
import { usePolled } from '../components/polled.ts';
import { useFormats } from '../format.ts';
import { parts } from '../upkeep/upkeep-parts.ts';

const { backups: Backups, certificate: Certificate, update: Update, warnings: Warnings } = parts;

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
        <FactPanel title={system.gateway}>
          <Fact name={system.version}>{status.version}</Fact>
          <Fact name={system.uptime}>{duration(status.uptimeSeconds)}</Fact>
          <Fact name={system.locks}>{system.online(status.online, status.locks)}</Fact>
          <Fact name={system.alarms} isBad={status.alarms > 0}>
            {number(status.alarms)}
          </Fact>
          <Fact name={system.clock} isBad={status.clockIsSuspect}>
            {status.clockIsSuspect ? system.clockSuspect : system.clockGood}
          </Fact>
        </FactPanel>
        <FactPanel title={system.storage}>
          <Fact name={system.storing} isBad={!isWorking}>
            {isWorking ? system.storingWorks : system.storingFails}
          </Fact>
          <Fact name={system.free} isBad={(storage.freeBytes ?? diskWarningBytes) < diskWarningBytes}>
            {storage.freeBytes === null ? system.notKnown : bytes(storage.freeBytes)}
          </Fact>
          <Fact name={system.records}>{number(status.records)}</Fact>
          <Fact name={system.backup} isBad={now - (backupDate ?? startedAt) > backupWarningMs}>
            {backupDate === null ? common.never : dateTime(backupDate)}
          </Fact>
        </FactPanel>
        <FactPanel title={system.network}>
          {Object.entries(listeners).map(([scheme, { host, port }]) => (
            <Fact key={scheme} name={system.listener(scheme)}>
              <code>{host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`}</code>
            </Fact>
          ))}
          {bridges.map((bridge) => (
            <Fact key={bridge.name} name={system.bridge(bridge.name)} isBad={!bridge.connected || away(bridge).length > 0}>
              {bridge.connected ? system.bridgeWorks(bridge.locks, away(bridge).join(', ')) : system.bridgeAway(bridge.reason)}
            </Fact>
          ))}
          {Object.entries(certificates).map(([scheme, expires]) => (
            <Fact key={scheme} name={system.certificate(scheme)} isBad={expires - now < certificateWarningMs}>
              {system.until(dateTime(expires))}
            </Fact>
          ))}
        </FactPanel>
        {status.cluster !== undefined && (
          <FactPanel title={system.nodes}>
            {status.cluster.nodes.map(({ name, url, role }) => (
              <Fact key={name} name={name}>
                {name === status.cluster?.leader ? system.nodeLeads : system.nodeRoles[role]} {url !== null && <code>{url}</code>}
              </Fact>
            ))}
          </FactPanel>
        )}
      </div>
      <Update update={status.update} />
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
