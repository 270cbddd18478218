// Commands of Home Assistant while the gateway or its broker stands still, is killed, or starts again, as many as wanted: each UNLOCK of a raw client
// may come again with the same bytes, and be published to be retained. Ends with 1 when a bolt moved too late, or twice for one command.
//   npm run test:home-assistant -- --rounds N (default 40)  --locks N (default 10)  --seed S
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { lockDoor } from '../support/freeze-trials.ts';
import { joinBroker, startMosquittoFor } from '../support/mosquitto.ts';
import { createRandom } from '../support/seeded-random.ts';
import { openSite, until } from '../support/site.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    locks: { type: 'string', default: '10' },
    seed: { type: 'string' },
  },
});
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
const random = createRandom(seed);
const locks = Array.from({ length: Number(values.locks) }, (_, index) => index + 1);
const maxAgeMs = 2_000;
/** From the moment in which a command leaves the gateway until the bolt of a simulated lock begins to move, on a busy machine. */
const onItsWayMs = 300;
const mischiefs = ['gateway stands still', 'broker stands still', 'both stand still', 'gateway is killed', 'broker starts again'] as const;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Trial {
  readonly mischief: (typeof mischiefs)[number];
  readonly lock: number;
  /** From the date of the command until the bolt began to move; undefined: it did not. */
  readonly ageMs: number | undefined;
  readonly moved: number;
}

const folder = await mkdtemp(join(tmpdir(), 'latchd-home-'));
const mosquitto = await startMosquittoFor({ persists: true });
const url = `mqtt://127.0.0.1:${mosquitto.port}`;
const settings = `{ enabled: true, url: "${url}", account: home-assistant, commands: true, maxAgeMs: ${maxAgeMs} }`;
writeFileSync(join(folder, 'latchd.yaml'), `homeAssistant: ${settings}\n`);
const program = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));
/** A door that has locked itself again would open a second time for the same command. */
const site = await openSite({
  program,
  locks: locks.map(() => ({ autoLockSeconds: 1 })),
  flags: ['--config', join(folder, 'latchd.yaml')],
});

interface HomeStatus {
  readonly connected: boolean;
  readonly gatewayId: string;
  readonly locks: number;
  readonly refused: Readonly<Record<string, number>>;
}
const status = async () => (await site.api('GET', '/api/v1/gateway/status')).body['homeAssistant'] as HomeStatus;
const isUp = async () => (await status()).connected && (await status()).locks === locks.length;

async function stir(mischief: (typeof mischiefs)[number], ms: number): Promise<void> {
  const { pid } = site.gateway;
  const isOfGateway = mischief !== 'broker stands still';
  if (mischief === 'gateway is killed') {
    await pause(ms / 4);
    await site.kill9();
    await site.start();
    return;
  }
  if (mischief === 'broker starts again') {
    await pause(ms / 4);
    await mosquitto.restart();
    return;
  }
  if (isOfGateway) process.kill(pid, 'SIGSTOP');
  if (mischief !== 'gateway stands still') mosquitto.freeze();
  await pause(ms);
  mosquitto.thaw();
  if (isOfGateway) process.kill(pid, 'SIGCONT');
}

async function round(mischief: (typeof mischiefs)[number]): Promise<readonly Trial[]> {
  for (const lock of locks) await site.whenOnline(lock);
  await Promise.all(locks.map((lock) => lockDoor(site, lock)));
  await until(isUp, 'the gateway is connected');
  const { gatewayId } = await status();
  const home = await joinBroker(mosquitto.port);
  const stirred = stir(mischief, 200 + random.below(2 * maxAgeMs));
  const trials = locks.map(async (lock) => {
    await pause(random.below(maxAgeMs));
    const [at, from] = [Date.now(), performance.now()];
    const topic = `latchd/${gatewayId}/${site.lockId(lock)}/set`;
    const say = () =>
      void home.say(topic, { do: 'UNLOCK', at }, { qos: random.pick([0, 1, 2]), retain: random.chance(0.1) }).catch(() => undefined);
    say();
    for (let again = random.below(3); again > 0; again--) {
      await pause(random.below(maxAgeMs));
      say();
    }
    await stirred;
    await pause(2 * maxAgeMs);
    const movements = site.lock(lock).movements.filter((movement) => movement.at >= from && movement.target === 'unlocked');
    const [first] = movements;
    return { mischief, lock, moved: movements.length, ageMs: first && first.at - from };
  });
  const ended = await Promise.all(trials);
  await home.leave();
  return ended;
}

const trials: Trial[] = [];
const refused = new Map<string, number>();
try {
  await site.account('home-assistant');
  for (const lock of locks)
    await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(lock)}/roles/home-assistant`, { body: { role: 'operator' } });
  for (let n = 0; n < Number(values.rounds); n++) {
    const before = (await status()).refused;
    const mischief = mischiefs[n % mischiefs.length] ?? 'gateway stands still';
    trials.push(...(await round(mischief)));
    await until(isUp, 'the gateway is connected');
    const counted = mischief === 'gateway is killed' ? {} : before;
    for (const [reason, count] of Object.entries((await status()).refused))
      refused.set(reason, (refused.get(reason) ?? 0) + count - (counted[reason] ?? 0));
  }
} finally {
  await site.close();
  await mosquitto.end();
  await rm(folder, { recursive: true });
}
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const late = trials.filter(({ ageMs = 0 }) => ageMs > maxAgeMs + onItsWayMs);
const twice = trials.filter(({ moved }) => moved > 1);
write(`seed ${seed}: ${trials.length} commands, at most ${maxAgeMs} ms old`);
for (const mischief of mischiefs) {
  const some = trials.filter((trial) => trial.mischief === mischief);
  const ages = some.flatMap(({ ageMs }) => ageMs ?? []);
  write(`${mischief}: ${some.length}, opened ${ages.length}, the oldest after ${Math.max(0, ...ages).toFixed(0)} ms`);
}
write(`refused: ${[...refused].map(([reason, count]) => `${reason} ${count}`).join(', ')}`);
write(`late: ${late.length}, twice: ${twice.length}`);
for (const trial of [...late, ...twice].slice(0, 20)) write(JSON.stringify(trial));
if (late.length + twice.length > 0 || !trials.some(({ moved }) => moved > 0)) process.exitCode = 1;
