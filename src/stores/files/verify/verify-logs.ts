// Checks the lines of the audit log and of the access log.
import { accessLineOf } from '../access/access-line.ts';
import { auditFolders } from '../audit/audit-log.ts';
import { holdsAuditEntry } from '../audit/audit-series.ts';
import type { FileLayer } from '../files.ts';
import { type Report, readdirIfThere, verifyLines } from './verify-lines.ts';

export async function verifyLogs(files: FileLayer, directory: string, report: Report): Promise<void> {
  for (const folder of auditFolders) {
    await verifyFolder(files, directory, folder, report, (line) =>
      holdsAuditEntry(line) ? undefined : 'holds something else than an audit entry',
    );
  }
  // The ids of a file rise; of two files, the later one may repeat some of the earlier one (Store 10).
  let highest = 0;
  let file = '';
  await verifyFolder(files, directory, 'access', report, (line, _, name) => {
    const found = accessLineOf(line);
    if (found === undefined) return 'holds something else than an access line';
    if (name !== file) [file, highest] = [name, 0];
    const isRising = found.id > highest;
    highest = found.id;
    return isRising ? undefined : `has the id ${found.id}, which is not above the one before`;
  });
}

async function verifyFolder(
  files: FileLayer,
  directory: string,
  folder: string,
  report: Report,
  problem: (line: Buffer, position: number, name: string) => string | undefined,
): Promise<void> {
  for (const name of (await readdirIfThere(files, `${directory}/${folder}`)).sort()) {
    if (!name.endsWith('.jsonl')) continue;
    await verifyLines(files, directory, `${folder}/${name}`, report, (line, position) => problem(line, position, name));
  }
}
