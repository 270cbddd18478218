// The page about backups on another machine: its commands and units, as they stand there, with the real restic and rsync, and what they kept
// is restored and verified.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { blocksOf, blockWith } from '../support/page-blocks.ts';
import { openPrivateBox, ownMounts, type PrivateBox } from '../support/private-box.ts';
import { programNamed } from '../support/reverse-proxy.ts';
import { openSite, type Site } from '../support/site.ts';
import { createRuns } from '../support/site-process.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../systemd/install/backups/README.md'), 'utf8');
const [service, timer] = ['latchd-elsewhere.service', 'latchd-elsewhere.timer'];
const runs = createRuns();
let site: Site;
let folder: string;
let box: PrivateBox;

beforeAll(async () => {
  site = await openSite({ locks: [{}] });
  await site.api('POST', '/api/v1/lock/unlock', { query: { lockId: site.lockId(1) } });
  await site.lock(1).whenEventsAcknowledged();
  const { exitCode, stderr } = await runs.finish(['backup', '--data-dir', site.dataDir]);
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
});
afterAll(async () => {
  await runs.endAll();
  await site?.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchd-elsewhere-'));
  box = openPrivateBox(folder, site.dataDir);
  writeFileSync(box.outside(`/etc/systemd/system/${timer}`), blockWith(page, '## Each night', '[Timer]'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What they have said, when all went well. */
function type(commands: string): string {
  const { status, stdout, stderr } = box.run(commands);
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}

const commandsOf = (heading: string) => blocksOf(page, heading).filter((block) => !block.startsWith('[Unit]'));
const inOwnBox = ownMounts ? describe : describe.skip;

inOwnBox.each(['restic', 'rsync'])('with %s', (tool) => {
  beforeEach(() => {
    programNamed(tool);
    writeFileSync(box.outside(`/etc/systemd/system/${service}`), blockWith(page, `## ${tool}`, '[Service]'));
    type(commandsOf(`## ${tool}`).join('\n'));
  });
  const begin = () => type(commandsOf('## Each night').join('\n'));

  test('the units are as systemd wants them', () => {
    const units = [service, timer].map((unit) => box.outside(`/etc/systemd/system/${unit}`));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], { encoding: 'utf8' });
    expect([status, stdout + stderr]).toEqual([0, '']);
  });

  test('what the service took elsewhere is restored as the page says, and whole', () => {
    begin();
    const commands = commandsOf('## Try one');
    const fetch = commands.find((command) => command.startsWith(`sudo ${tool} `));
    const tried = commands.find((command) => command.startsWith('newest='));
    const verdict = type(`${fetch}\n${tried}`);
    expect(verdict).toMatch(/latchd-tried is in order: [1-9]\d* records?, 1 lock$/m);
    expect(readdirSync(box.outside('/var/lib'))).toEqual(['latchd']);
  });

  /** What the page fetches from there: the content of each archive, by its name. */
  function fetched(): Readonly<Record<string, string>> {
    type(commandsOf('## Try one').find((command) => command.startsWith(`sudo ${tool} `)) as string);
    const there = files(box.outside('/var/lib/latchd-fetched')).map((file) => [basename(file), readFileSync(file, 'base64')]);
    rmSync(box.outside('/var/lib/latchd-fetched'), { recursive: true });
    return Object.fromEntries(there);
  }

  test('the second night adds what is new, and takes nothing away', () => {
    begin();
    const first = fetched();
    expect(Object.keys(first)).toHaveLength(1);
    const newer = join(site.dataDir, 'backups/latchd-20991231T023000Z.tar.gz');
    writeFileSync(newer, 'of the second night');
    begin();
    rmSync(newer);
    expect(fetched()).toEqual({ ...first, [basename(newer)]: Buffer.from('of the second night').toString('base64') });
  });
});

inOwnBox('nobody else reads', () => {
  test('the password of restic', () => {
    programNamed('restic');
    type(commandsOf('## restic').join('\n'));
    const [password, home] = ['/etc/restic/latchd.password', '/etc/restic'].map((path) => statSync(box.outside(path)).mode & 0o777);
    expect([password, home]).toEqual([0o600, 0o700]);
  });

  test('the archives that rsync has copied; and what is damaged here later is whole there', () => {
    programNamed('rsync');
    writeFileSync(box.outside(`/etc/systemd/system/${service}`), blockWith(page, '## rsync', '[Service]'));
    type(commandsOf('## rsync').join('\n'));
    type(`systemctl start ${service}`);
    const [archive = ''] = files(box.outside('/mnt/backup/latchd'));
    const content = readFileSync(archive);
    expect([statSync(archive).mode & 0o777, statSync(box.outside('/mnt/backup/latchd')).mode & 0o777]).toEqual([0o600, 0o700]);
    const own = join(site.dataDir, 'backups', archive.slice(archive.lastIndexOf('/') + 1));
    writeFileSync(own, 'damaged');
    type(`systemctl start ${service}`);
    expect(readFileSync(archive).equals(content)).toBe(true);
    writeFileSync(own, content);
  });
});

function files(folderOf: string): readonly string[] {
  return readdirSync(folderOf, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
