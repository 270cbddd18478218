// What apt is asked, by a real process of its name that answers as apt-cache(8) does, or does not.
import { mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createAptInstaller, readPolicy } from '../../src/platform/apt-installer.ts';
import { offering, policy, putApt, saying } from '../support/fake-apt.ts';
import { until } from '../support/site.ts';

let folder: string;
const path = process.env['PATH'];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchd-apt-'));
  process.env['PATH'] = [folder, '/usr/bin', '/bin'].join(delimiter);
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true });
});

const apt = (script: string) => putApt(folder, script);
const repository = '500 https://apt.example.org stable/main all Packages';
const upgradable = offering('0.2.0', '0.1.0');

describe('apt', () => {
  test('is asked for latchd, in English, and hears nothing of our environment', async () => {
    process.env['LATCHD_SECRET'] = 'x';
    process.env['LC_ALL'] = 'de_DE.UTF-8';
    apt(`echo "$*" >${folder}/asked; env >>${folder}/asked; echo`);
    await createAptInstaller().ask();
    delete process.env['LATCHD_SECRET'];
    delete process.env['LC_ALL'];
    const asked = readFileSync(join(folder, 'asked'), 'utf8');
    expect(asked).toMatch(/^policy latchd\n/);
    expect(asked).toMatch(/^LC_ALL=C$/m);
    expect(asked).not.toContain('LATCHD_SECRET');
  });

  test('has a newer one', async () => {
    apt(saying(upgradable));
    expect(await createAptInstaller().ask()).toEqual({ installed: '0.1.0', newest: '0.2.0', isNewer: true });
  });

  test('is not there', async () => {
    process.env['PATH'] = folder;
    expect(await createAptInstaller().ask()).toEqual({ doubt: 'no-apt' });
  });

  test.each([
    ['fails', 'exit 100'],
    ['is killed', 'kill -9 $$'],
    ['floods', 'while :; do echo "latchd: Installed: 9"; done'],
  ])('%s', async (_what, script) => {
    apt(script);
    expect(await createAptInstaller().ask()).toEqual({ doubt: 'failed' });
  });

  test('hangs, and is ended after a while', async () => {
    apt(`echo $$ >${folder}/pid; exec sleep 600`);
    expect(await createAptInstaller(300).ask()).toEqual({ doubt: 'failed' });
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    await until(() => !isThere(pid), 'it has ended');
  });

  test('hangs, and is ended when the gateway stops', async () => {
    apt(`echo $$ >${folder}/pid; exec sleep 600`);
    const installer = createAptInstaller();
    const asking = installer.ask();
    const pid = () => Number(readIfThere(join(folder, 'pid')));
    await until(() => pid() > 0, 'it runs');
    installer.stop();
    expect(await asking).toEqual({ doubt: 'failed' });
    await until(() => !isThere(pid()), 'it has ended');
    installer.stop();
  });
});

test('when apt has last looked is seen at its folder, whatever the dates of what it fetched; without one nobody can tell', async () => {
  const before = Date.now() - 1_000;
  utimesSync(folder, 0, 0);
  const looked = (looks: string) => createAptInstaller(0, looks).lastLook();
  expect(await looked(folder)).toBeGreaterThan(before);
  expect(await looked(join(folder, 'none'))).toBeUndefined();
});

describe('An answer', () => {
  const status = '100 /var/lib/dpkg/status';
  test.each([
    ['of a box that has the newest', policy('0.2.0', '0.2.0', ` *** 0.2.0 500\n        ${repository}\n        ${status}`), '0.2.0', false],
    [
      'of apt that would go back, because somebody has pinned the older one',
      policy(
        '0.2.0',
        '0.1.0',
        ` *** 0.2.0 100\n        ${status}\n     0.1.0 1001\n       1001 https://apt.example.org stable/main all Packages`,
      ),
      '0.1.0',
      false,
    ],
    ['with a phase', upgradable.replace('0.2.0 500\n', '0.2.0 500 (phased 10%)\n'), '0.2.0', true],
    ['with a pin of the package', upgradable.replace('  Version table', '  Package pin: 0.2.0\n  Version table'), '0.2.0', true],
  ])('%s', (_what, text, newest, isNewer) => {
    expect(readPolicy(text)).toMatchObject({ newest, isNewer });
  });

  test.each([
    ['not-installed', 'nothing, because apt knows no latchd', ''],
    ['not-installed', 'that it is not installed', policy('(none)', '0.2.0', `     0.2.0 500\n        ${repository}`)],
    ['no-repository', 'that it came from a file', policy('0.1.0', '0.1.0', ` *** 0.1.0 100\n        ${status}`)],
    ['failed', 'something else', 'E: The package lists or status file could not be parsed or opened.'],
    ['failed', 'a version that is none', upgradable.replaceAll('0.2.0', '<script>')],
    ['failed', 'a version that is too long', upgradable.replaceAll('0.2.0', `0.${'2'.repeat(100)}`)],
    ['failed', 'no table', upgradable.slice(0, upgradable.indexOf('  Version table'))],
    ['failed', 'a table without what is installed', upgradable.replace(' *** 0.1.0', ' *** 0.0.9')],
    ['failed', 'a candidate that is nowhere', upgradable.replace('Candidate: 0.2.0', 'Candidate: 0.3.0')],
  ])('%s: apt says %s', (doubt, _what, text) => {
    expect(readPolicy(text)).toEqual({ doubt });
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
