// The bill of materials of a release: what is in the tree and nothing else, by the rules of CycloneDX, and the same for the same tree.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-sbom-'));
  await mkdir(join(folder, 'usr/share/doc/latchd'), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The bill of a tree whose page of licences names these packages; the schema of CycloneDX takes it. */
async function billOf(packages: readonly string[], ...more: readonly string[]) {
  const page = packages.map((name) => `## ${name} (whatever)\n\nThe licence.\n`).join('\n');
  await writeFile(join(folder, 'usr/share/doc/latchd/THIRD-PARTY.md.gz'), gzipSync(`# In the daemon\n\n${page}`));
  const environment = { ...process.env, SOURCE_DATE_EPOCH: '1795392000' };
  const script = join(root, 'systemd/release/sbom.mjs');
  const { stdout } = await run(process.execPath, [script, folder, '1.2.3', ...more], { env: environment });
  await writeFile(join(folder, 'bill.json'), stdout);
  await run(process.execPath, [join(root, '.ci/walks/valid-bill.mjs'), join(folder, 'bill.json')]);
  return JSON.parse(stdout);
}

/** name - version, as the page of licences has it, of a package in the lock file. */
async function locked(name: string): Promise<string> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  return `${name} - ${packages[`node_modules/${name}`].version}`;
}

test('it lists what is in the program and in the console, with version, licence, digest, and what needs what', async () => {
  const bill = await billOf([await locked('express'), await locked('accepts'), await locked('@preact/signals'), await locked('preact')]);
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { timestamp: '2026-11-23T00:00:00.000Z' } });
  expect(bill.metadata.component).toMatchObject({ type: 'application', name: 'latchd', version: '1.2.3' });
  const names = bill.components.map(({ group, name }: { group?: string; name: string }) => (group ? `${group}/${name}` : name));
  expect(names).toEqual(['@preact/signals', 'accepts', 'express', 'preact']);
  expect(bill.components[2]).toMatchObject({
    version: '5.3.0',
    licenses: [{ license: { id: 'MIT' } }],
    purl: 'pkg:npm/express@5.3.0',
    hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[\da-f]{128}$/) }],
  });
  const [accepts, express, preact, signals] = ['accepts', 'express', 'preact', '@preact/signals'].map(
    (name) => bill.components.find(({ purl }: { purl: string }) => purl.includes(`/${name.replace('@', '%40')}@`))['bom-ref'],
  );
  const needs = new Map(bill.dependencies.map(({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => [ref, dependsOn]));
  expect(needs.get(bill.metadata.component['bom-ref'])).toEqual([signals, express, preact].sort());
  expect([needs.get(express), needs.get(signals)]).toEqual([[accepts], [preact]]);
});

test('a package that the lock file does not know is not passed over', async () => {
  await expect(billOf(['express - 0.0.1'])).rejects.toThrow('package-lock.json has no express 0.0.1, which is in the tree');
});

test('that of the image has the packages of Debian, too', async () => {
  const list = join(folder, 'packages.txt');
  await writeFile(list, '# As of 2026-11-23\nlibstdc++6 14.2.0-19 arm64\nnodejs 1:20.19.2+dfsg-1 amd64\n');
  const bill = await billOf([await locked('preact')], list);
  expect(bill.metadata.component.type).toBe('container');
  expect(bill.components.map(({ purl }: { purl: string }) => purl).slice(0, 2)).toEqual([
    'pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=arm64&distro=debian-13',
    'pkg:deb/debian/nodejs@1%3A20.19.2%2Bdfsg-1?arch=amd64&distro=debian-13',
  ]);
});

test('the serial number follows from what is listed', async () => {
  const preact = await locked('preact');
  const [first, again, other] = [await billOf([preact]), await billOf([preact]), await billOf([preact, await locked('express')])];
  expect(first).toEqual(again);
  expect(first.serialNumber).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
  expect(other.serialNumber).not.toBe(first.serialNumber);
});
