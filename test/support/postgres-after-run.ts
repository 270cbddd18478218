// See postgres-for-run.ts.
import { existsSync, rmSync } from 'node:fs';
import { killPostgres } from './postgres.ts';
import { runFolders } from './postgres-for-run.ts';

/** Ends the server of the run, if there is one, and removes its folder. */
export default async function tearDown(): Promise<void> {
  const { folder, server } = runFolders();
  if (existsSync(server)) await killPostgres(server);
  rmSync(folder, { recursive: true, force: true });
}
