// Tokens, roles, accounts and keys of devices are revoked, at either of two nodes on one database, while callers use them at both: after the 2xx
// nothing that is begun later is honoured anywhere, whatever is wrong with the other node. Ends with 1 when something was.
//   --revocations N (default 1,000)  --seed S (default: a new one, which is printed)  --only WORDS (faults with these words in their name)
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { cuts } from '../support/cuttable-link.ts';
import { createRandom } from '../support/seeded-random.ts';
import { wait } from './cluster-stage.ts';
import { type NodePair, openNodePair, type PairNode } from './node-pair.ts';
import { type Revoked, reportOf } from './revocations-report.ts';
import { add, type Tally } from './revoked-callers.ts';
import { createThings, kinds, type Revocable, type Swipe, type Things } from './revoked-things.ts';

const { values } = parseArgs({
  options: { revocations: { type: 'string', default: '1000' }, seed: { type: 'string' }, only: { type: 'string', default: '' } },
});
const wanted = Number(values.revocations);
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
const random = createRandom(seed);
const atOnce = 20;
const doors = 4;
const swipeMs = 150;
/** Lines of logs that say what a fault came to. */
const told = new Set(['stands-in', 'stood-in', 'node-deposed', 'lease-lost', 'node-ended', 'ended']);

const faults = [
  'the other node stands still',
  'the link to it stalls',
  'it is cut off from the database',
  'it is cut off from both',
  'it is cut off from the database, and the asked node stands still',
] as const;
type Fault = (typeof faults)[number];
const compound: ReadonlySet<string> = new Set(faults.slice(-2));
const chosen = faults.filter((fault) => fault.includes(values.only));
/** Where it is asked for: at the node that leads, or at the other one. */
const sides = ['leader', 'other'] as const;

const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** @param asked where the revocations are asked for; resolves when all of it is over */
async function strike(pair: NodePair, asked: PairNode, fault: Fault): Promise<void> {
  const node = pair.other(asked);
  // What is over sooner than a node finds out that the other one is silent, or takes longer.
  const short = random.below(2_500);
  const long = 4_000 + random.below(7_000);
  const lasts = random.chance(0.5) ? long : short;
  const stop = async (one: PairNode, ms: number): Promise<void> => {
    one.signal('SIGSTOP');
    await wait(ms);
    one.signal('SIGCONT');
  };
  const cut = async (ms: number): Promise<void> => {
    node.database.cut(random.pick(cuts));
    await wait(ms);
    node.database.mend();
  };
  const stall = async (ms: number): Promise<void> => {
    pair.stallLink(random.below(20_000));
    await wait(ms);
    pair.flowLink();
  };
  switch (fault) {
    case 'the other node stands still':
      return stop(node, lasts);
    case 'the link to it stalls':
      return stall(lasts);
    case 'it is cut off from the database':
      return cut(lasts);
    case 'it is cut off from both':
      await Promise.all([cut(long), stall(long)]);
      return;
    default:
      await Promise.all([cut(long), wait(random.below(1_000)).then(() => stop(asked, long))]);
  }
}

/** Asks until an answer says that it is done, or that it was done before, perhaps by a request whose answer nobody had. */
async function revoke(pair: NodePair, node: PairNode, thing: Revocable): Promise<number | undefined> {
  for (;;) {
    const begun = performance.now();
    const { status } = await pair.siteAt(node).api(thing.method, `/api/v1/gateway${thing.path}`);
    if (status === 200) {
      thing.doneAt = performance.now();
      for (const caller of thing.callers) caller.revoked();
      return thing.doneAt - begun;
    }
    if (status === 404) return undefined;
    await wait(100);
  }
}

async function runBatch(
  pair: NodePair,
  things: Things,
  tally: Tally,
  fault: Fault | 'none',
  at: Revoked['at'],
): Promise<readonly Revoked[]> {
  const { leader, other } = await pair.whenSettled();
  const made = await Promise.all(Array.from({ length: atOnce }, () => things.make(random.pick(kinds), leader)));
  const node = at === 'leader' ? leader : other;
  const took = new Map<Revocable, number | undefined>();
  if (fault === 'none') {
    for (const thing of made) {
      took.set(thing, await revoke(pair, node, thing));
      await wait(random.below(40));
    }
  } else {
    // The fault begins before most of them, and just after some; where the other node opens doors by itself meanwhile, some come then.
    const withinMs = compound.has(fault) ? 3_000 : 600;
    const revoking = made.map(async (thing) => {
      await wait(random.below(withinMs));
      took.set(thing, await revoke(pair, node, thing));
    });
    await wait(random.below(200));
    const logs = pair.nodes.map((one) => one.log());
    const noted = logs.map((log) => log.length);
    await strike(pair, node, fault);
    for (const { code } of logs.flatMap((log, index) => log.slice(noted[index]))) if (told.has(String(code))) add(tally, `said: ${code}`);
    await pair.whenSettled();
    await Promise.all(revoking);
  }
  await pair.whenSettled();
  // So that there are events that were caused later, and a stream that goes on has them.
  await wait(1_000);
  return Promise.all(
    made.map(async (thing) => {
      const problems = (await Promise.all(thing.callers.map((caller) => caller.end()))).flat();
      return { kind: thing.kind, fault, at, tookMs: took.get(thing), problems };
    }),
  );
}

/** Cards at the doors, one after the other, until `end`. */
function swipeOnAndOn({ fleet }: NodePair): { readonly swipes: ReadonlyMap<string, Swipe>; end(): Promise<void> } {
  const swipes = new Map<string, Swipe>();
  let isOver = false;
  async function live(): Promise<void> {
    for (let serial = 0; !isOver; serial++) {
      const [lock, cardNumber] = [fleet.lock(1 + (serial % doors)), String(1_000_000 + serial)];
      swipes.set(cardNumber, { at: performance.now(), lockId: lock.lockId ?? 0 });
      await lock.swipeCard(cardNumber);
      await wait(swipeMs);
    }
  }
  const life = live();
  return {
    swipes,
    end() {
      isOver = true;
      return life;
    },
  };
}

async function runAll(pair: NodePair, swipes: ReadonlyMap<string, Swipe>): Promise<boolean> {
  const tally: Tally = new Map();
  const done: Revoked[] = [];
  const startedAt = performance.now();
  const things = createThings({ pair, random, swipes, tally });
  for (const { number } of pair.fleet.locks) pair.leadLock(number, pair.nodes[number % 2] ?? pair.nodes[0]);
  for (let round = 0; done.length < wanted; round++) {
    // Every other one without a fault.
    const turn = round >> 1;
    const fault = round % 2 === 0 ? 'none' : (chosen[turn % chosen.length] ?? 'none');
    const at = fault === 'none' ? random.pick(sides) : (sides[Math.floor(turn / chosen.length) % 2] ?? 'leader');
    const batch = await runBatch(pair, things, tally, fault, at);
    done.push(...batch);
    write(`${done.length} in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s; the last ones: ${fault}, asked at the ${at}`);
    for (const { kind, problems } of batch) for (const problem of problems.slice(0, 3)) write(`   ${kind}: ${problem}`);
  }
  for (const line of reportOf(done, tally)) write(line);
  return done.every(({ problems }) => problems.length === 0);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

write(`seed ${seed}`);
const pair = await openNodePair({ locks: doors, leaseSeconds: 8, commandTimeoutMs: 3_000 });
const swiping = swipeOnAndOn(pair);
try {
  process.exitCode = (await runAll(pair, swiping.swipes)) ? 0 : 1;
} finally {
  await swiping.end();
  await pair.close();
}
