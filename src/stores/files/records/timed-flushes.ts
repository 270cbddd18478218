// A file layer that measures how long each flush takes.
import type { FileLayer, OpenFile, OpenMode } from '../files.ts';

/** The same files; calls `flushed` for every successful flush, with its milliseconds by `monotonic`. */
export function timeFlushes(files: FileLayer, monotonic: () => number, flushed: (ms: number) => void): FileLayer {
  async function timed(flush: () => Promise<void>): Promise<void> {
    const begun = monotonic();
    await flush();
    flushed(monotonic() - begun);
  }
  const timeFile = (file: OpenFile, mode: OpenMode): OpenFile => ({
    ...file,
    write: mode === 'journal' ? (bytes, position) => timed(() => file.write(bytes, position)) : file.write,
    sync: () => timed(file.sync),
  });
  return {
    ...files,
    open: async (path, mode) => timeFile(await files.open(path, mode), mode),
    syncFolder: (path) => timed(() => files.syncFolder(path)),
  };
}
