// A program of the name apt-cache, in front of the real one, that answers as a test wants.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The version of this latchd. */
export const { version: ownVersion } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as {
  readonly version: string;
};

/** Puts it into the folder, which must come first in the PATH. */
export function putApt(folder: string, script: string): void {
  const file = join(folder, 'apt-cache');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

/** What `apt-cache policy` of apt 3.0 prints. */
export function policy(installed: string, candidate: string, table: string): string {
  return `latchd:\n  Installed: ${installed}\n  Candidate: ${candidate}\n  Version table:\n${table}`;
}

/** What it prints when `newest` is in a repository and `installed` on the machine. */
export function offering(newest: string, installed: string): string {
  const repository = `     ${newest} 500\n        500 https://apt.example.org stable/main all Packages`;
  return policy(installed, newest, `${repository}\n *** ${installed} 100\n        100 /var/lib/dpkg/status`);
}

/** A script that says this. */
export function saying(text: string): string {
  return `cat <<'END'\n${text}\nEND`;
}
