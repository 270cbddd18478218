// Cuts the power while events, cards and accounts pour in, and looks whether everything that was acknowledged is there
// afterwards (Faults T1 and T5): under the real daemon with locks and callers, and under the store alone with a clock of
// which a day passes in 400 ms, so that days are sealed in the middle of it. On ext4 and on xfs.
// Before it trusts itself the test takes the flushes away and must find the loss.
import { fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { verify } from '../../src/stores/files/verify/verify.ts';
import { createBustle } from './bustle.ts';
import { type Fault, type FaultOptions, sumOf, type Toll } from './fault.ts';
import { createHouse } from './house.ts';
import { type Acknowledged, noteAcknowledged, whatIsMissing } from './power-cut-check.ts';
import { type CutDisk, canMake, createCutDisk, type FileSystem, fileSystems } from './power-cut-disk.ts';

type Round = Omit<Toll, 'fault' | 'rounds'>;
const child = fileURLToPath(new URL('./power-cut-child.js', import.meta.url));
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const aWhile = (): Promise<void> => wait(200 + Math.random() * 1_800);

async function problemsOf(dataDir: string): Promise<string[]> {
  const { findings } = await verify(dataDir);
  return findings.filter(({ file }) => !file.endsWith('.damaged')).map(({ file, problem }) => `${file} ${problem}`);
}

/** Lets the store alone run for a while, then cuts. */
async function cutStore(disk: CutDisk, withFlushes: boolean): Promise<Round> {
  const store = fork(child, [`${disk.mount()}/data`, String(withFlushes)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const ended = new Promise<void>((resolve) => void store.on('close', () => resolve()));
  const acknowledged: Acknowledged = new Map();
  let counted: Acknowledged = acknowledged;
  try {
    if (!store.stdout) throw new Error('the store has no output');
    createInterface({ input: store.stdout }).on('line', (line) => noteAcknowledged(acknowledged, line));
    await Promise.race([new Promise((resolve) => store.on('message', resolve)), ended]);
    await aWhile();
    // What was acknowledged until now must be there; what is acknowledged from here on may be.
    counted = structuredClone(acknowledged);
    disk.cut();
  } finally {
    store.kill('SIGKILL');
    await ended;
  }
  const folder = disk.mountWhatIsLeft();
  const count = [...counted.values()].reduce((sum, one) => sum + one.count, 0);
  try {
    const missing = await whatIsMissing(`${folder}/data`, counted);
    const problems = [...missing, ...(await problemsOf(`${folder}/data`))];
    return { acknowledged: count, recovered: count - missing.length, lost: missing.length, doubled: 0, problems };
  } catch (error) {
    return { acknowledged: count, recovered: 0, lost: count, doubled: 0, problems: [`the store does not start: ${String(error)}`] };
  } finally {
    disk.unmountWhatIsLeft();
  }
}

/** The same for the real daemon. */
async function cutDaemon(disk: CutDisk, work: string): Promise<Round> {
  const house = await createHouse({ dataDir: `${disk.mount()}/data`, locksDir: `${work}/locks-${Math.random()}`, locks: 8 });
  const bustle = createBustle(house);
  let ledger: ReturnType<typeof bustle.acknowledged>;
  try {
    await house.start();
    await house.moveIn();
    bustle.go();
    await aWhile();
    ledger = bustle.acknowledged();
    disk.cut();
  } finally {
    await house.end('SIGKILL');
    await bustle.pause();
  }
  const folder = disk.mountWhatIsLeft();
  const after = await createHouse({ dataDir: `${folder}/data`, locksDir: '', locks: 0 });
  try {
    await after.start();
    // What nobody was told is kept is nothing that anybody should be woken for.
    const alarming = after.log().filter(({ level }) => level === 'error');
    const verdict = await bustle.verdict(ledger, after);
    verdict.problems.push(...alarming.map((line) => `the start has an error in its log: ${JSON.stringify(line)}`));
    if ((await after.end('SIGTERM')) !== 0) verdict.problems.push('SIGTERM did not end it with 0');
    verdict.problems.push(...(await problemsOf(`${folder}/data`)));
    return verdict;
  } finally {
    await after.close();
    await house.close();
    disk.unmountWhatIsLeft();
  }
}

async function cutOn(kind: FileSystem, { short, work, say }: FaultOptions): Promise<Toll[]> {
  const rounds = short ? 2 : 25;
  const disk = createCutDisk(`${work}/${kind}`, kind);
  try {
    const blind = await cutStore(disk, false);
    say(`${kind}, without flushes: ${blind.problems.length} problems, such as: ${blind.problems[0] ?? 'none'}`);
    const tolls: Toll[] = [];
    const kinds = { store: () => cutStore(disk, true), daemon: () => cutDaemon(disk, work) };
    for (const [name, cut] of Object.entries(kinds)) {
      const done: Round[] = [];
      for (let round = 1; round <= rounds; round++) {
        const one = await cut();
        done.push(one);
        if (one.problems.length > 0) say(`${name} on ${kind}, cut ${round}: ${one.problems.slice(0, 5).join('; ')}`);
      }
      const toll = sumOf(`power cut, ${name} on ${kind}`, done);
      say(`${name} on ${kind}: ${rounds} cuts, ${toll.acknowledged} acknowledged, ${toll.lost} lost`);
      tolls.push(toll);
    }
    if (blind.problems.length > 0) return tolls;
    return [...tolls, sumOf(`${kind} without flushes`, [{ ...blind, problems: ['the test is blind: it found no loss without flushes'] }])];
  } finally {
    disk.remove();
  }
}

async function run(options: FaultOptions): Promise<readonly Toll[]> {
  const tolls: Toll[] = [];
  for (const kind of fileSystems) {
    if (canMake(kind)) tolls.push(...(await cutOn(kind, options)));
    else options.say(`left out on ${kind}: mkfs.${kind} is not installed`);
  }
  return tolls;
}

export const powerCut: Fault = { name: 'power-cut', run };
