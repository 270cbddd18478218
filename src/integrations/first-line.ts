// Reads a password or a token from the first line of a file, at each use, so that a new one needs no restart.
import { readFile } from 'node:fs/promises';

/** What is wrong with a file of the operator. Its message names no path, since everybody may read it. */
class UnusableFile extends Error {
  readonly operatorReason: string;

  constructor(operatorReason: string, cause?: unknown) {
    super('not sent: the settings of the gateway are at fault; its log says more', { cause });
    this.operatorReason = operatorReason;
  }
}

/** Rejects with an error whose `operatorReason` names the file, and never its content. */
export async function firstLineOf(what: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UnusableFile(`not sent: ${what} ${path} cannot be read (${error.code})`, error);
  });
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw new UnusableFile(`not sent: ${what} ${path} has no first line`);
  return line;
}

/** As a member of an attempt that failed. */
export function operatorReasonOf(error: unknown): { readonly operatorReason?: string } {
  return error instanceof UnusableFile ? { operatorReason: error.operatorReason } : {};
}
