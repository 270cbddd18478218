// What the checks of a data directory share: their reports, and the check of a file of checksummed lines.
import { codeOf, type FileLayer } from '../files.ts';
import { inspectLines } from '../records/line-inspection.ts';

/** `file` is relative to the data directory. `remark`: a state that is allowed but that a person may want to know. */
export interface Report {
  (file: string, problem: string): void;
  remark(file: string, what: string): void;
}

/** The values that occur more than once, each of them once. */
export function repeated<T>(values: readonly T[]): T[] {
  const seen = new Set<T>();
  return [...new Set(values.filter((value) => seen.has(value) || !seen.add(value)))];
}

/** The sorted names in a folder that every data directory has. */
export async function namesIn(files: FileLayer, directory: string, folder: string, report: Report): Promise<string[]> {
  try {
    return (await files.readdir(`${directory}/${folder}`)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') report(folder, 'is missing');
    else report(folder, `cannot be read (${codeOf(error)})`);
    return [];
  }
}

/**
 * Checks that each line of a file is what was written; `problem` says what else is wrong with an intact one. False when the file cannot be
 * read.
 */
export async function verifyLines(
  files: FileLayer,
  directory: string,
  name: string,
  report: Report,
  problem: (line: Buffer, position: number) => string | undefined,
): Promise<boolean> {
  try {
    const file = await files.open(`${directory}/${name}`, 'read');
    try {
      const { bad, unfinished } = await inspectLines(file, (line, position, number) => {
        const found = problem(line, position);
        if (found !== undefined) report(name, `line ${number} ${found}`);
        return true;
      });
      for (const { kind, line } of bad) if (kind === 'damaged') report(name, `line ${line} is not as it was written`);
      const torn = bad.filter(({ kind }) => kind === 'torn').reduce((sum, { from, to }) => sum + to - from, unfinished);
      if (torn > 0) remarkTorn(report, name, torn);
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

/** Remarks on bytes that a power cut left behind the last line of a file. */
export function remarkTorn(report: Report, file: string, bytes: number): void {
  report.remark(file, `has ${bytes} bytes that a power cut tore: nobody was told that they are kept, and a start cuts them off`);
}

/** The names in a folder; none when it does not exist. */
export async function readdirIfThere(files: FileLayer, folder: string): Promise<string[]> {
  return files.readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
}
