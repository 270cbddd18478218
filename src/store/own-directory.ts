// Whether a directory may become the data directory: one that is closed to everybody else (0700) and filled must not be /tmp or a home
// that somebody named by mistake.
import { resolve } from 'node:path';
import { codeOf, type FileLayer } from './files.ts';

/** What a data directory always holds once a start has gone through. */
const marks = ['accounts.json', 'command.key', 'counters.json', 'locks', 'records'];
/** What may lie there before that: of a start that died, of a person who brings the certificates along, of a disk that was just made. */
const early =
  /^(accounts\.json|command\.key|counters\.json|locks|records|audit|webhooks|(clock|alarms|hubs|status)\.json|latchd\.lock.*|.*\.tmp|admin\.token|tls|backups|lost\+found)$/;

/** Rejects with one sentence when the directory is there and holds what is not ours. */
export async function refuseForeignDirectory(files: FileLayer, directory: string): Promise<void> {
  const names = await files.readdir(directory).catch((error: unknown) => {
    // Whatever else it is, making it and writing there says so.
    if (codeOf(error) !== '') return [] as string[];
    throw error;
  });
  if (marks.filter((mark) => names.includes(mark)).length >= 2) return;
  const foreign = names.filter((name) => !early.test(name)).sort()[0];
  if (foreign === undefined) return;
  throw new Error(
    `latchd does not take ${resolve(directory)} for its data directory: it holds ${foreign}, which is not latchd's, and would be closed to everybody else: name an empty directory, or one that latchd has made`,
  );
}
