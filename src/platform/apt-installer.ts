// Asks apt for the newest latchd that it knows of. It reads apt's own lists, which apt renews when it does: nothing goes over the network.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { Installer, Offer } from '../domain/updates/update-watch.ts';

const packageName = 'latchd';
/** On a slow card apt may have to read all its lists anew. */
const patienceMs = 30_000;
const bytesAtMost = 64 * 1024;
/** deb-version(7), and no longer than anybody shows. */
const versionPattern = /^\d[A-Za-z0-9.+~:-]{0,63}$/;
/** Each look of apt into its repositories leaves its mark on this folder, also when nothing there is new. */
const folderOfLooks = '/var/lib/apt/lists/partial';
/** What stands in place of a repository for what is installed. */
const installedAlone = '/var/lib/dpkg/status';

/** `apt-cache` is looked for on the PATH. */
export function createAptInstaller(patience = patienceMs, looks = folderOfLooks): Installer {
  let ending = new AbortController();

  return {
    ask() {
      ending = new AbortController();
      const options = {
        // No variable of the gateway's own is apt's business; the words of its answer depend on the language.
        env: { PATH: process.env['PATH'], LC_ALL: 'C' },
        timeout: patience,
        killSignal: 'SIGKILL',
        maxBuffer: bytesAtMost,
        signal: ending.signal,
      } as const;
      return new Promise((resolve) => {
        execFile('apt-cache', ['policy', packageName], options, (error, stdout) => {
          if (error === null) resolve(readPolicy(stdout));
          else resolve({ doubt: error.code === 'ENOENT' ? 'no-apt' : 'failed' });
        });
      });
    },
    async lastLook() {
      const folder = await stat(looks).catch(() => undefined);
      return folder === undefined ? undefined : Math.floor(folder.ctimeMs);
    },
    stop() {
      ending.abort();
    },
  };
}

/**
 * Reads the answer of `apt-cache policy` (apt-cache(8)): what is installed, what apt would install now, and a table of all versions, the
 * newest first, each with the repositories that have it.
 */
export function readPolicy(text: string): Offer {
  const installed = /^ {2}Installed: (\S+)$/m.exec(text)?.[1];
  const candidate = /^ {2}Candidate: (\S+)$/m.exec(text)?.[1];
  if (text.trim() === '' || installed === '(none)') return { doubt: 'not-installed' };
  const table = text.slice(text.indexOf('\n  Version table:\n')).split('\n');
  const versions = table.flatMap((line) => /^ (?:\*{3}| {3}) (\S+) -?\d+/.exec(line)?.[1] ?? []);
  const repositories = table.flatMap((line) => /^ {6,}-?\d+ (\S+)/.exec(line)?.[1] ?? []);
  if (repositories.length > 0 && repositories.every((repository) => repository === installedAlone)) return { doubt: 'no-repository' };
  if (!isVersion(installed) || !isVersion(candidate)) return { doubt: 'failed' };
  const [old, newest] = [versions.indexOf(installed), versions.indexOf(candidate)];
  if (old === -1 || newest === -1) return { doubt: 'failed' };
  return { installed, newest: candidate, isNewer: newest < old };
}

function isVersion(text: string | undefined): text is string {
  return text !== undefined && versionPattern.test(text);
}
