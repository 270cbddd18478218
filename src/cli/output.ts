// What commands say: results to standard output, for programs; sentences to standard error, for people.
import type { Option } from './command.ts';

export const jsonOption: Option = { flag: '--json', says: 'print JSON, for programs' };

/** Standard output. That whoever reads it wants no more (`| head`) ends the command, and is no failure. */
export function output(): NodeJS.WritableStream {
  if (process.stdout.listenerCount('error') === 0) {
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit();
    });
  }
  return process.stdout;
}

/** A line for whoever reads the result. */
export function print(line: string): void {
  output().write(`${line}\n`);
}

/** A sentence for the person at the terminal. */
export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
