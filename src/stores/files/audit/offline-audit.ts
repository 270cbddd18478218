// Adds an entry to the audit log of a data directory that no daemon uses.
import { join } from 'node:path';
import { localAdministrator } from '../../../domain/accounts/account.ts';
import { createAuditTrail } from '../../../domain/audit/audit.ts';
import type { AuditAction } from '../../../domain/audit/audit-action.ts';
import type { Log } from '../../../domain/part.ts';
import type { FileLayer } from '../files.ts';
import { giveToOwner } from '../give-to-owner.ts';
import { auditFolders, createAuditLog } from './audit-log.ts';

const nothing = (): void => undefined;
const noLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing };

/** Runs `work`, then writes its audit entry if possible: a backup must also work on a full disk. No other process may use the directory. */
export async function appendOfflineAudit<T>(
  { files, directory, now }: { readonly files: FileLayer; readonly directory: string; readonly now: number },
  auditAction: AuditAction,
  work: () => Promise<T>,
): Promise<T> {
  const clock = { now: () => now, monotonic: () => 0, timer: () => nothing };
  const audit = createAuditLog({ files, directory, clock, log: noLog });
  const isOpen = await audit.open().then(
    () => true,
    () => false,
  );
  if (!isOpen) return work();
  try {
    return await createAuditTrail({ clock, audit }).note({ ...localAdministrator, address: 'command line' }, auditAction, work);
  } finally {
    await audit.close();
    await giveBack(files, directory).catch(nothing);
  }
}

async function giveBack(files: FileLayer, directory: string): Promise<void> {
  for (const folder of auditFolders) {
    const names = await files.readdir(join(directory, folder));
    await giveToOwner(directory, [folder, ...names.map((name) => join(folder, name))]);
  }
}
