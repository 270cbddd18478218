// Archives of a database while nodes run on it: what is in them, and what a long snapshot costs those who store events.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bustle } from './bustle.ts';
import { type Stage, wait } from './cluster-stage.ts';

const program = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));
const [measures, measureMs] = [6, 10_000];

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

function latchd(...args: readonly string[]): Promise<Ended> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LATCHD_')));
  const child = spawn(process.execPath, [program, ...args], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text: string) => (said += text));
  return new Promise((resolve) => void child.once('close', (code) => resolve({ code, said: said.trim() })));
}

function backup({ house, pair }: Stage, file: string): Promise<Ended> {
  const store = `postgres://postgres@${pair.ports.map((port) => `127.0.0.1:${port}`).join(',')}/latchd`;
  // Not through the daemon: the snapshot is another process's, as for a copy that somebody takes away.
  return latchd('backup', '--store', store, '--data-dir', `${house.nodes[0].dataDir}-archives`, '--to', file);
}

/** Takes an archive, restores it into a data directory, and has that verified. Resolves with what was not as it must be. */
export async function checkArchive(stage: Stage, work: string, say: (line: string) => void): Promise<readonly string[]> {
  const [file, directory] = [join(work, 'archive.tar.gz'), join(work, 'restored')];
  const steps = [
    () => backup(stage, file),
    () => latchd('restore', file, '--data-dir', directory),
    () => latchd('verify', '--data-dir', directory),
  ];
  for (const step of steps) {
    const { code, said } = await step();
    if (code !== 0) return [`the archive: ${said}`];
    say(said);
  }
  return [];
}

/** How many events locks had acknowledged a second beside one backup after the other, and without. */
export async function measureSnapshots(stage: Stage, bustle: Bustle, work: string, say: (line: string) => void): Promise<void> {
  const rates: [number[], number[]] = [[], []];
  let archives = 0;
  for (let measure = 0; measure < measures; measure++) {
    const isBeside = measure % 2 === 1;
    let isOver = false;
    const backups = (async () => {
      while (isBeside && !isOver) {
        const { code, said } = await backup(stage, join(work, `snapshot-${archives++}.tar.gz`));
        if (code !== 0) throw new Error(said);
      }
    })();
    const before = bustle.acknowledged().events.length;
    bustle.go();
    await wait(measureMs);
    rates[isBeside ? 1 : 0].push((bustle.acknowledged().events.length - before) / (measureMs / 1_000));
    await bustle.pause();
    isOver = true;
    await backups;
  }
  const shown = (values: readonly number[]): string => values.map((value) => Math.round(value)).join(', ');
  say(`events a second: ${shown(rates[0])}; beside ${archives} backups, one after the other: ${shown(rates[1])}`);
}
