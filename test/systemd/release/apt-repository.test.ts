// The apt repository as a folder: what apt reads of it is true, and what was published stays as it was.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const run = promisify(execFile);
const script = join(import.meta.dirname, '../../../systemd/release/apt-repository.mjs');
let folder = '';
let repository = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-apt-'));
  repository = join(folder, 'apt');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Makes a package of this version, with this file in it, and puts it into the repository. */
async function add(version: string, content = version): Promise<void> {
  const tree = join(folder, `tree-${version}`);
  await mkdir(join(tree, 'DEBIAN'), { recursive: true });
  await writeFile(join(tree, 'content'), content);
  const control = `Package: latchd\nVersion: ${version}\nArchitecture: all\nMaintainer: T <t@example.org>\nDescription: short\n and long\n`;
  await writeFile(join(tree, 'DEBIAN/control'), control);
  const file = join(folder, `latchd_${version}_all.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: '1795392000' };
  await run('dpkg-deb', ['--root-owner-group', '--build', tree, file], { env });
  await run(process.execPath, [script, repository, file], { env });
}

const read = (path: string) => readFile(join(repository, path));
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

test('Release names each index by its size and digest, under which it is found, too', async () => {
  await add('1.0.0');
  const release = String(await read('dists/stable/Release'));
  expect(release).toMatch(/^Origin: latchd\nLabel: latchd\nSuite: stable\n/);
  expect(release).toContain('\nDate: Mon, 23 Nov 2026 00:00:00 UTC\n');
  const indexes = [...release.matchAll(/^ ([\da-f]{64}) (\d+) (\S+)$/gm)];
  expect(indexes.map(([, , , path]) => path)).toEqual(
    expect.arrayContaining(['main/binary-amd64/Packages', 'main/binary-arm64/Packages.gz', 'main/binary-armhf/Packages']),
  );
  for (const [, digest = '', size, path = ''] of indexes) {
    const index = await read(`dists/stable/${path}`);
    expect([sha256(index), String(index.length)]).toEqual([digest, size]);
    expect(await read(`dists/stable/${path}/../by-hash/SHA256/${digest}`)).toEqual(index);
  }
  expect(gunzipSync(await read('dists/stable/main/binary-amd64/Packages.gz'))).toEqual(
    await read('dists/stable/main/binary-amd64/Packages'),
  );
});

test('a newer version stands beside the older ones, each with the fields of its package, its size and its digest', async () => {
  await add('1.0.0');
  await add('1.1.0');
  const stanzas = String(await read('dists/stable/main/binary-arm64/Packages')).split('\n\n');
  expect(stanzas.map((stanza) => /^Version: (.*)$/m.exec(stanza)?.[1])).toEqual(['1.0.0', '1.1.0']);
  for (const stanza of stanzas) {
    const [, path = ''] = /^Filename: (.*)$/m.exec(stanza) ?? [];
    const content = await read(path);
    expect(stanza).toContain(`\nSize: ${content.length}\nSHA256: ${sha256(content)}`);
    expect(stanza).toContain('\nDescription: short\n and long\n');
  }
});

test('a version that was published is not replaced by another content', async () => {
  await add('1.0.0');
  await add('1.0.0');
  const before = await read('dists/stable/Release');
  await expect(add('1.0.0', 'something else')).rejects.toThrow('give the new one a new version');
  expect(await read('dists/stable/Release')).toEqual(before);
  expect(await readdir(join(repository, 'pool/main/l/latchd'))).toEqual(['latchd_1.0.0_all.deb']);
});
