// A file of records that the kernel will not read at a start (Faults T4 and T5), by strace: doors open, nobody is told that there were no
// records, the locks keep their events, and it ends by itself when the file can be read.
import { readdirSync, readFileSync } from 'node:fs';
import { createBustle } from './bustle.ts';
import { canTrace } from './eio.ts';
import { type Fault, type FaultOptions, sumOf, type Toll } from './fault.ts';
import { createHouse, type House, until } from './house.ts';

/** What is not as it must be while the file cannot be read. */
async function whileUnreadable(house: House, file: string, ms: number): Promise<string[]> {
  const problems: string[] = [];
  const ready = await house.ask('GET', '/readyz');
  const said = JSON.stringify(ready?.body['parts']);
  if (ready?.status !== 503 || !said.includes(file) || !said.includes('EIO')) problems.push(`/readyz says ${ready?.status} ${said}`);
  const lines = house.log().filter(({ code }) => code === 'records-unreadable');
  if (lines.length !== 1 || lines[0]?.['file'] !== file) problems.push(`the log says ${JSON.stringify(lines)}`);
  await until(() => house.fleet.locks.every(({ online, memory }) => online && memory.events.length > 0), 'the locks keep their events');
  const sessions = house.fleet.locks.map(({ session }) => session);
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt) {
    for (const { lockId = 0, number } of house.fleet.locks) {
      const opened = await house.ask('POST', '/api/v1/lock/unlock', { lockId });
      if (opened?.status !== 200) problems.push(`unlock of lock ${number} answered ${opened?.status} ${String(opened?.body['code'])}`);
      const records = await house.ask('GET', '/api/v1/lock/records', { lockId, pageNo: 1, pageSize: 10 });
      if (records?.body['code'] !== 'storage-unavailable') problems.push(`the records were answered with ${records?.status}`);
    }
  }
  if (house.fleet.locks.some(({ session }, n) => session !== sessions[n])) problems.push('a lock lost its connection');
  return problems;
}

async function round(work: string, ms: number): Promise<Omit<Toll, 'fault' | 'rounds'>> {
  const house = await createHouse({ dataDir: `${work}/data`, locksDir: `${work}/locks`, locks: 6 });
  const bustle = createBustle(house);
  try {
    await house.start();
    await house.moveIn();
    bustle.go();
    await until(() => bustle.acknowledged().events.length > 500, 'there are records');
    await house.end('SIGKILL');
    const file = readdirSync(`${house.dataDir}/records`).filter((name) => name.endsWith('.jsonl'))[0] ?? '';
    const path = `${house.dataDir}/records/${file}`;
    // The tracer is the child, so that signals reach the daemon.
    await house.start({}, [
      'strace',
      '-D',
      '-I',
      '1',
      '-f',
      '-o',
      '/dev/null',
      '-P',
      path,
      '-e',
      'trace=pread64',
      '-e',
      'inject=pread64:error=EIO',
    ]);
    const problems = await whileUnreadable(house, file, ms);
    const tracer = Number(/^TracerPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${house.pid()}/status`, 'utf8'))?.[1]);
    if (tracer > 0) process.kill(tracer, 'SIGINT');
    else problems.push('the daemon is not traced');
    await until(async () => (await house.ask('GET', '/readyz'))?.status === 200, '/readyz says 200 when the file can be read', 40_000);
    await bustle.pause();
    await Promise.all(house.fleet.locks.map((lock) => lock.whenEventsAcknowledged()));
    const verdict = await bustle.verdict(bustle.acknowledged());
    if ((await house.end('SIGTERM')) !== 0) problems.push('SIGTERM did not end it with 0');
    const verified = await house.latchd('verify');
    if (verified.code !== 0) problems.push(`latchd verify: ${verified.said}`);
    return { ...verdict, problems: [...problems, ...verdict.problems] };
  } finally {
    await house.close();
    await bustle.pause();
  }
}

async function run({ short, work, say }: FaultOptions): Promise<readonly Toll[]> {
  canTrace();
  const rounds: Omit<Toll, 'fault' | 'rounds'>[] = [];
  for (const ms of short ? [1_000] : [1_000, 10_000, 60_000]) {
    const one = await round(`${work}/${ms}`, ms);
    say(`unreadable for ${ms / 1_000} s: ${one.acknowledged} acknowledged, ${one.lost} lost, ${one.problems.length} problems`);
    rounds.push(one);
  }
  return [sumOf('records unreadable at a start', rounds)];
}

export const unreadable: Fault = { name: 'unreadable', run };
