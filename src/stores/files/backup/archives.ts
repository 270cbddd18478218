// The finished backups in the usual folder, for those who look at them from outside.
import type { Archive, Archives } from '../../../domain/backups/backup-service.ts';
import { DomainError } from '../../../domain/errors.ts';
import { codeOf, type FileLayer } from '../files.ts';
import { isArchiveName, madeAtOf } from './backup-folder.ts';
import type { Backups } from './backups.ts';
import { encryptedFor } from './passphrase.ts';

const pieceBytes = 64 * 1024;

export function createArchives({
  files,
  folder,
  backups,
}: {
  readonly files: FileLayer;
  /** Of the backups. */
  readonly folder: string;
  readonly backups: Pick<Backups, 'make'>;
}): Archives {
  async function open(name: string) {
    // A name that no backup has could lead out of the folder.
    if (!isArchiveName(name)) throw new DomainError('not-found', `there is no backup ${name}`);
    return files.open(`${folder}/${name}`, 'read').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') throw new DomainError('not-found', `there is no backup ${name}`);
      throw error;
    });
  }
  async function archive(name: string): Promise<Archive | undefined> {
    const file = await open(name).catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      return { name, madeAt: madeAtOf(name), bytes: await file.size(), beforeUpgrade: name.includes('before-upgrade') };
    } finally {
      await file.close();
    }
  }
  async function* content(name: string): AsyncIterable<Buffer> {
    const file = await open(name);
    try {
      for (let position = 0; ; ) {
        const piece = Buffer.allocUnsafe(pieceBytes);
        const count = await file.read(piece, position);
        if (count === 0) return;
        yield piece.subarray(0, count);
        position += count;
      }
    } finally {
      await file.close();
    }
  }

  return {
    async list() {
      const names = await files.readdir(folder).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return [];
        throw new DomainError('storage-unavailable', `the folder of the backups cannot be read: ${folder} (${codeOf(error)})`, {
          cause: error,
        });
      });
      const found = await Promise.all(names.filter(isArchiveName).map(archive));
      return found.filter((one) => one !== undefined).sort((one, other) => other.madeAt - one.madeAt);
    },
    async make(onProgress) {
      const { file, bytes } = await backups.make({ reason: 'asked', onProgress });
      return { name: file.slice(file.lastIndexOf('/') + 1), bytes };
    },
    async *encrypted(name, passphrase) {
      // Opened first: a name that is not there is refused before the key is made.
      const file = await open(name);
      await file.close();
      yield* encryptedFor(passphrase, content(name));
    },
  };
}
