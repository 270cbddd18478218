// What the checks of a data directory share: how they report, and the check of a file of checked lines.
import { isIntact } from './checked-line.ts';
import { codeOf, type FileLayer } from './files.ts';
import { scanLines } from './line-scan.ts';

/** `file` is relative to the data directory. */
export type Report = (file: string, problem: string) => void;

/** The values that are there more than once, once each. */
export function repeated<T>(values: readonly T[]): T[] {
  const seen = new Set<T>();
  return [...new Set(values.filter((value) => seen.has(value) || !seen.add(value)))];
}

/** Whether each line of a file is as it was written; `problem` says what else is wrong with an intact one. False when it cannot be read. */
export async function verifyLines(
  files: FileLayer,
  directory: string,
  name: string,
  report: Report,
  problem: (line: Buffer, position: number) => string | undefined,
): Promise<boolean> {
  let number = 0;
  try {
    const file = await files.open(`${directory}/${name}`, 'read');
    try {
      const end = await scanLines(file, (line, position) => {
        number += 1;
        // The end of a journal that is being written to, or was when the power went.
        if (line.length === 0) return;
        const found = isIntact(line) ? problem(line, position) : 'is not as it was written';
        if (found !== undefined) report(name, `line ${number} ${found}`);
      });
      const rest = (await file.size()) - end;
      if (rest > 0) report(name, `ends in ${rest} bytes of an unfinished line`);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return true;
    if (code === '') throw error;
    report(name, `cannot be read (${code})`);
    return false;
  }
  return true;
}
