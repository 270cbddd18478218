// Checks whether only the owner can read the data directory with its keys, and whether the daemon runs as that owner.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { userName } from '../../platform/control/control-client.ts';
import type { Daemon } from './daemon.ts';
import { fail, good, type Verdict } from './verdict.ts';

/** Certificates are public. */
const publicFiles = /\.crt$/;
/** This many files are named; further ones are only counted. */
const named = 3;

export async function checkOwnership(directory: string, daemon: Daemon): Promise<readonly Verdict[]> {
  const { uid, gid, mode } = await lstat(directory);
  const owner = await userName(uid);
  const verdicts: Verdict[] = [];
  if (daemon.uid !== undefined && daemon.uid !== uid) {
    const runsAs = await userName(daemon.uid);
    verdicts.push(
      fail(`${directory} belongs to ${owner}, and the daemon runs as ${runsAs}`, `stop it, then sudo chown -R ${runsAs}: ${directory}`),
    );
  }
  const strangers: string[] = [];
  const open: string[] = (mode & 0o077) === 0 ? [] : [directory];
  for (const name of await readdir(directory, { recursive: true })) {
    const path = join(directory, name);
    // The daemon may delete a file at any time.
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined) continue;
    if (found.uid !== uid) strangers.push(path);
    if ((found.mode & 0o077) !== 0 && !publicFiles.test(name) && !found.isSymbolicLink()) open.push(path);
  }
  if (strangers.length > 0) {
    const seen = `not of ${owner}, whose ${directory} is: ${some(strangers)}`;
    verdicts.push(fail(seen, `the daemon cannot use them: sudo chown -R ${uid}:${gid} ${directory}`));
  }
  if (open.length > 0)
    verdicts.push(fail(`others than ${owner} may read keys or records: ${some(open)}`, `sudo chmod -R go= ${directory}`));
  return verdicts.length > 0 ? verdicts : [good(`${directory} and all in it is for ${owner} alone`)];
}

function some(paths: readonly string[]): string {
  const more = paths.length - named;
  return paths.slice(0, named).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
