// records and guard: benches that are programs of their own and print what they measure; here under the same command.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Section } from '../section.ts';

function program(name: string): Section {
  const path = fileURLToPath(new URL(`../${name}.js`, import.meta.url));
  return {
    name,
    run: () =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [path], { stdio: 'inherit' });
        child.once('error', reject);
        child.once('exit', (code) => (code === 0 ? resolve([]) : reject(new Error(`the bench of ${name} ended with ${code}`))));
      }),
  };
}

export const recordsSection = program('records');
export const guardSection = program('guard');
