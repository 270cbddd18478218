// What is made of .github/CHANGELOG.md, as the build of the package and of a release run it.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const changelog = `# Changelog

## [Unreleased]

### Added

- Nothing that was released.

## [1.2.0-rc.1] - 2026-12-01

What is to come.

### Security

- A door of [another make](README.md#makes) could be opened with the \`key\` of a lock that was removed, and
  stayed open.

## [1.1.0] - 2026-11-23

### Added

- A first line.
`;
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-changelog-'));
  await mkdir(join(folder, 'systemd/release'), { recursive: true });
  await mkdir(join(folder, '.github'));
  await cp(join(import.meta.dirname, '../../../systemd/release/changelog.mjs'), join(folder, 'systemd/release/changelog.mjs'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What the script prints, or complains of, for a clone with this changelog and this version in package.json. */
async function made(text: string, version: string, ...wanted: readonly string[]): Promise<string> {
  await writeFile(join(folder, '.github/CHANGELOG.md'), text);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ version }));
  const script = join(folder, 'systemd/release/changelog.mjs');
  return new Promise((resolve) => execFile(process.execPath, [script, ...wanted], (_error, stdout, stderr) => resolve(stdout + stderr)));
}

test('dpkg reads every released version, with dates, and a fault of security as urgent', async () => {
  expect(await made(changelog, '1.2.0-rc.1', 'debian')).toBe(`latchd (1.2.0~rc.1) unstable; urgency=high

  * Security: A door of another make could be opened with the key of a lock
    that was removed, and stayed open.

 -- The latchd authors <maintainers@users.noreply.latchd.example>  Tue, 01 Dec 2026 00:00:00 +0000

latchd (1.1.0) unstable; urgency=medium

  * Added: A first line.

 -- The latchd authors <maintainers@users.noreply.latchd.example>  Mon, 23 Nov 2026 00:00:00 +0000
`);
});

test('a build between two releases has an entry of its own on top', async () => {
  expect((await made(changelog, '1.2.0-rc.1', 'debian', '1.2.0~rc.1+7')).split('\n').slice(0, 3)).toEqual([
    'latchd (1.2.0~rc.1+7) unstable; urgency=medium',
    '',
    '  * Built from the tree of 1.2.0-rc.1.',
  ]);
});

test('the release notes are those of one version, without what is not released', async () => {
  expect(await made(changelog, '1.2.0-rc.1', 'notes', '1.1.0')).toBe('# latchd 1.1.0\n\n### Added\n\n- A first line.\n');
  expect(await made(changelog, '1.2.0-rc.1', 'notes')).toContain('# latchd 1.2.0-rc.1\n\nWhat is to come.');
});

test('all dates of a release are that of its version', async () => {
  expect(await made(changelog, '1.2.0-rc.1', 'epoch')).toBe(`${Date.UTC(2026, 11, 1) / 1000}\n`);
});

test.each([
  [changelog, '1.3.0', 'package.json says 1.3.0, the newest version is 1.2.0-rc.1'],
  [changelog.replace('[1.1.0]', '1.1.0'), '1.2.0-rc.1', 'a heading must be "## [1.2.3] - 2026-11-23", not "## 1.1.0 - 2026-11-23"'],
  [changelog.replace('2026-12-01', '2026-13-01'), '1.2.0-rc.1', '1.2.0-rc.1 has no date of the calendar'],
  [changelog.replace('- A first line.', ''), '1.2.0-rc.1', '1.1.0 has no line that says what it brings'],
])('what does not read is refused, with what is wrong: case %#', async (text, version, complaint) => {
  expect(await made(text, version, 'debian')).toBe(`.github/CHANGELOG.md: ${complaint}\n`);
});
