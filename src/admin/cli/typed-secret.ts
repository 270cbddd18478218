// A secret from the terminal, which shows nothing of it, or from standard input: never from the arguments, which every process can read.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Asked twice at a terminal; else the first line of standard input. Rejects with a sentence. `what`: such as `password`. */
export function typedSecret(what: string): Promise<string> {
  return process.stdin.isTTY ? askTwice(what) : firstLine(what);
}

async function askTwice(what: string): Promise<string> {
  const first = await askHidden(`${what}: `);
  if ((await askHidden('again: ')) === first) return first;
  throw new Error('the two are not the same; nothing was changed');
}

/** A line that the terminal does not show. */
function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  return new Promise((resolve, reject) => {
    const end = (then: () => void) => {
      process.stderr.write('\n');
      lines.removeAllListeners();
      lines.close();
      then();
    };
    lines.once('line', (line) => end(() => resolve(line)));
    lines.once('SIGINT', () => end(() => reject(new Error('nothing was changed'))));
    lines.once('close', () => end(() => reject(new Error('nothing was typed; nothing was changed'))));
  });
}

async function firstLine(what: string): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  throw new Error(`standard input holds no ${what}; nothing was changed`);
}
