// webhooks: what 50 of them, each told of all that happens at 100 doors, cost those who open doors meanwhile. Their receiver takes
// everything at once.
import { writeFileSync } from 'node:fs';
import type { AccountId } from '../../../src/domain/accounts/account.ts';
import type { WebhookId } from '../../../src/domain/webhooks/webhook.ts';
import { createSecrets } from '../../../src/stores/files/documents/secrets.ts';
import { createStore } from '../../../src/stores/files/store.ts';
import { startHelloNode } from '../floors/start-floor.ts';
import { type DoorResult, openDoorClients } from '../load/door-clients.ts';
import { alternate, type Contender, figureOf, type Rounds } from '../rounds.ts';
import { effort, type Figure, type Section, type SectionOptions } from '../section.ts';
import { clock, quiet, silentLog, withoutFlushes } from '../seed.ts';
import { openLatchd } from '../site.ts';

const locks = 100;
const clients = 10;
const without = 'without webhooks';
const within = 'with 50 webhooks';

export const webhooksSection: Section = {
  name: 'webhooks',
  async run(options) {
    const receiver = await startHelloNode();
    const url = `http://${receiver.at.http.host}:${receiver.at.http.port}/`;
    const { rounds } = effort(options, { rounds: 5, ms: 0 });
    const builds = [{ label: '', program: options.program }, ...(options.before ? [{ label: ' before', program: options.before }] : [])];
    const contenders = builds.flatMap(({ label, program }) =>
      [0, 50].map((count) => contender(options, { name: `${count === 0 ? without : within}${label}`, program, count, url })),
    );
    const measured = await alternate(contenders, rounds);
    await receiver.stop();
    return builds.flatMap(({ label }) => figuresOf(measured, label));
  },
};

/** A gateway of its own for each round: what is left to deliver after one would be work in the next. */
function contender(
  options: SectionOptions,
  { name, program, count, url }: { readonly name: string; readonly program: string; readonly count: number; readonly url: string },
): Contender<DoorResult> {
  const { ms } = effort(options, { rounds: 0, ms: 2_000 });
  let round = 0;
  return {
    name,
    async measure() {
      options.say(`webhooks: ${name}`);
      const site = await openLatchd(options, {
        ...{ name: `${name} ${++round}`, program, locks },
        prepare: (directory) => seedWebhooks(directory, count, url),
      });
      const doors = await openDoorClients(site, clients);
      await doors.measure(clients, ms);
      const result = await doors.measure(clients, ms);
      doors.close();
      await site.close();
      return result;
    },
  };
}

/** Of the account `admin`, which is told of everything. Resolves with flags for the daemon. */
async function seedWebhooks(directory: string, count: number, url: string): Promise<readonly string[]> {
  const store = createStore({ directory, clock, log: silentLog, secrets: createSecrets(), files: withoutFlushes(), onFatal: quiet });
  await store.start();
  for (let webhookId = 1; webhookId <= count; webhookId++) {
    await store.ports.webhooks.add({
      webhook: {
        ...{ webhookId: webhookId as WebhookId, accountId: 1 as AccountId, name: `Receiver ${webhookId}`, url, secret: 'bench-secret' },
        ...{ eventTypes: [], lockIds: [], enabled: true, createdAt: clock.now() },
      },
      progress: { position: 0, behind: [], waiting: [], failed: [], forgotten: 0, alarms: [] },
    });
  }
  await store.stop();
  writeFileSync(`${directory}.yaml`, 'webhooks: { networks: [127.0.0.0/8] }\n');
  return ['--config', `${directory}.yaml`];
}

function figuresOf(measured: Rounds<DoorResult>, label: string): readonly Figure[] {
  const valuesOf = (name: string, pick: (one: DoorResult) => number): readonly number[] => (measured.get(name + label) ?? []).map(pick);
  const figure = (what: string, unit: '/s' | 'µs' | 'ms', pick: (one: DoorResult) => number, goal?: { atLeast: number }): Figure =>
    figureOf(`webhooks: 50 of them${label}, ${what}`, unit, valuesOf(within, pick), {
      others: [{ name: without, values: valuesOf(without, pick), ...(goal && { goal }) }],
    });
  return [
    figure('unlocks a second', '/s', (one) => one.perSecond, label === '' ? { atLeast: 0.667 } : undefined),
    figure('CPU of one unlock', 'µs', (one) => one.cpuMicros),
    figure('p99 of an unlock', 'ms', (one) => one.p99),
  ];
}
