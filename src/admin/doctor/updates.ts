// Checks whether a newer latchd is in the repository that this one was installed from.
import type { Config } from '../../app/config.ts';
import { type AnswerDoubt, type Installer, updateState } from '../../domain/updates/update-watch.ts';
import { createAptInstaller } from '../../platform/apt-installer.ts';
import { good, type Verdict, warn } from './verdict.ts';

const dayMs = 86_400_000;
/** As it comes, Debian does not let apt look by itself. */
const daysAtMost = 7;
const howToInstall = 'sudo apt-get install --only-upgrade latchd; doors are without the gateway for about a second';

/** What doctor says when nobody knows, and what to do about it; without a second text there is nothing to do. */
const doubts: Readonly<Record<AnswerDoubt, readonly [seen: string, repair?: string]>> = {
  'no-apt': ['this machine has no apt, so nobody can tell; look where this latchd comes from'],
  'not-installed': ['apt did not install this latchd, so it cannot tell; look where it comes from'],
  'other-version': [
    'apt has installed another version than this one',
    'the installed one is /usr/bin/latchd: is it the one that was typed?',
  ],
  'no-repository': [
    'no repository of this machine has latchd: newer ones do not come by themselves',
    'add the repository (systemd/install/README.md), or bring each newer package by hand',
  ],
  failed: ['apt says nothing that can be understood', 'what does "apt-cache policy latchd" say?'],
};

export async function checkUpdates({ updates }: Config, version: string, installer: Installer = createAptInstaller()): Promise<Verdict> {
  if (!updates.check) return good('nobody looks for newer versions (updates.check)');
  const { state, version: newest, reason } = updateState(version, await installer.ask());
  if (state === 'available') return warn(`latchd ${newest} is in its repository, and this is ${version}`, howToInstall);
  if (reason === null) return checkLook(`${version} is the newest that apt knows of`, await installer.lastLook());
  const [seen, repair] = doubts[reason];
  return repair === undefined ? good(seen) : warn(seen, repair);
}

function checkLook(seen: string, looked: number | undefined): Verdict {
  const days = looked === undefined ? 0 : Math.floor((Date.now() - looked) / dayMs);
  if (days <= daysAtMost) return good(seen);
  return warn(
    `${seen}, and apt has not looked into its repositories for ${days} days`,
    'sudo apt-get update; the page Install (systemd/install/README.md) says how apt looks each day',
  );
}
