// Journals that stay open: an append must never go to a file that its path no longer names, and no more may stay open than the limit.
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { type FileLayer, nodeFiles } from '../../../src/stores/files/files.ts';
import { keepJournalsOpen } from '../../../src/stores/files/open-journals.ts';
import { withDirectory } from './support/directory.ts';
import { faultyFiles } from './support/faulty-files.ts';

/** The names of the files of this folder that this process has open. */
async function openIn(directory: string): Promise<string[]> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  const paths = (await Promise.all(links)).filter((path) => path.startsWith(`${directory}/`));
  return paths.map((path) => path.slice(directory.length + 1)).sort();
}

async function append(files: FileLayer, path: string, text: string): Promise<void> {
  const journal = await files.open(path, 'journal');
  try {
    await journal.write(Buffer.from(text), await journal.size());
  } finally {
    await journal.close();
  }
}

/** Runs with a folder that has the empty files a, b and c. */
const withFiles = (run: (directory: string) => Promise<void>) =>
  withDirectory(async (directory) => {
    for (const name of ['a', 'b', 'c']) await writeFile(`${directory}/${name}`, '');
    await run(directory);
  });

/** A layer that counts what it opens. */
function counted(real: FileLayer): { readonly layer: FileLayer; opened(): number } {
  let opened = 0;
  const layer: FileLayer = {
    ...real,
    open(path, mode) {
      opened += 1;
      return real.open(path, mode);
    },
  };
  return { layer, opened: () => opened };
}

test('a journal is opened once for many appends, and closeAll closes it', () =>
  withFiles(async (directory) => {
    const { layer, opened } = counted(nodeFiles());
    const files = keepJournalsOpen(layer);
    for (const text of ['1', '2', '3']) await append(files, `${directory}/a`, text);
    expect([opened(), await readFile(`${directory}/a`, 'utf8'), await openIn(directory)]).toEqual([1, '123', ['a']]);
    await files.closeAll();
    expect(await openIn(directory)).toEqual([]);
  }));

test('no more journals than the limit stay open, and one that is in use is never closed', () =>
  withFiles(async (directory) => {
    const files = keepJournalsOpen(nodeFiles(), 1);
    const inUse = await files.open(`${directory}/a`, 'journal');
    await append(files, `${directory}/b`, '1');
    await append(files, `${directory}/c`, '1');
    await inUse.write(Buffer.from('1'), 0);
    await inUse.close();
    await append(files, `${directory}/b`, '2');
    await files.closeAll();
    await append(files, `${directory}/c`, '2');
    expect(await openIn(directory)).toEqual(['c']);
    expect(await Promise.all(['a', 'b', 'c'].map((name) => readFile(`${directory}/${name}`, 'utf8')))).toEqual(['1', '12', '12']);
    await files.closeAll();
  }));

test('a closed use cannot be closed twice, so that the use of another caller goes on', () =>
  withFiles(async (directory) => {
    const files = keepJournalsOpen(nodeFiles(), 0);
    const [one, other] = [await files.open(`${directory}/a`, 'journal'), await files.open(`${directory}/a`, 'journal')];
    await one.close();
    await one.close();
    await other.write(Buffer.from('1'), 0);
    await other.close();
    await files.closeAll();
    expect(await openIn(directory)).toEqual([]);
  }));

test('an append goes to the file that a path names now, after a rename and after a removal', () =>
  withFiles(async (directory) => {
    const files = keepJournalsOpen(nodeFiles());
    await append(files, `${directory}/a`, 'old');
    await append(files, `${directory}/b`, 'new');
    await files.rename(`${directory}/b`, `${directory}/a`);
    await append(files, `${directory}/a`, '+');
    expect(await readFile(`${directory}/a`, 'utf8')).toBe('new+');
    await expect(append(files, `${directory}/b`, '+')).rejects.toMatchObject({ code: 'ENOENT' });
    await files.unlink(`${directory}/a`);
    await expect(append(files, `${directory}/a`, '+')).rejects.toMatchObject({ code: 'ENOENT' });
    await files.closeAll();
    expect(await openIn(directory)).toEqual([]);
  }));

test.each(['commit', 'truncate'])('a journal is closed after a failed %s, and the next use opens it anew', (failing) =>
  withFiles(async (directory) => {
    const faulty = faultyFiles();
    const { layer, opened } = counted(faulty);
    const files = keepJournalsOpen(layer);
    const journal = await files.open(`${directory}/a`, 'journal');
    faulty.fault = (operation) => (operation === failing ? 'ENOSPC' : undefined);
    await expect(failing === 'commit' ? journal.write(Buffer.from('1'), 0) : journal.truncate(0)).rejects.toThrow('ENOSPC');
    faulty.fault = undefined;
    await journal.close();
    await append(files, `${directory}/a`, '');
    expect(opened()).toBe(2);
    await files.closeAll();
    expect(await openIn(directory)).toEqual([]);
  }),
);
