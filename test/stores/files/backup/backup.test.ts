// Backups of a running store, of a stopped one and of one of an older program, and restores from them.
import { createHash } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { AccountId } from '../../../../src/domain/accounts/account.ts';
import { recordDaysAtMost } from '../../../../src/domain/records/record.ts';
import { type BackupsOptions, backUpDirectory, createBackups, createUpgradeBackup } from '../../../../src/stores/files/backup/backups.ts';
import { type RestoreOptions, restore } from '../../../../src/stores/files/backup/restore.ts';
import { type ArchiveFile, readArchive, writeArchive } from '../../../../src/stores/files/backup/tar.ts';
import type { FileLayer } from '../../../../src/stores/files/files.ts';
import type { Store } from '../../../../src/stores/files/store.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { sampleTtlockLogin, ttlockToken } from '../../../support/sample-ttlock.ts';
import { captureLog, type ManualClock, manualClock, startedStore, testStore, withDirectory } from '../support/directory.ts';
import { faultyFiles } from '../support/faulty-files.ts';
import {
  everything,
  lockId,
  sampleEntry,
  sampleEvents,
  sampleLock,
  samplePerson,
  sampleSchedule,
  sampleWebhook,
} from '../support/samples.ts';

const never = new AbortController().signal;
const day = 86_400_000;

interface Kept {
  readonly root: string;
  readonly directory: string;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly archive: string;
}

/** A running store with two locks, two sealed days, and a journal, with files of other rooms beside it. */
async function withKept(run: (kept: Kept) => Promise<void>): Promise<void> {
  await withDirectory(async (root) => {
    const directory = join(root, 'data');
    const clock = manualClock();
    const { store } = await startedStore(directory, { clock });
    for (const number of [1, 2]) {
      await store.ports.counters.next('lockId');
      await store.ports.counters.next('cardId');
      await store.ports.locks.add(sampleLock(number, { roles: [] }));
      await store.ports.entries.update(lockId(number), () => ({ put: [sampleEntry(number, number)] }));
    }
    await store.ports.counters.next('webhookId');
    await store.ports.webhooks.add(sampleWebhook(1));
    await store.ports.people.add(samplePerson(1));
    await store.ports.schedules.put(sampleSchedule(1));
    for (let n = 0; n < 3; n++) {
      for (const number of [1, 2]) await store.ports.records.append(lockId(number), 'e', sampleEvents(n * 100 + 1, n * 100 + 100));
      if (n < 2) clock.advance(day);
      await store.maintenance.sealDays();
    }
    await mkdir(`${directory}/tls`);
    await writeFile(`${directory}/tls/ca.key`, 'the key of the authority');
    try {
      await run({ root, directory, store, clock, archive: join(root, 'one.tar.gz') });
    } finally {
      await store.stop();
    }
  });
}

/** What a backup of a running store needs of it. */
const storeOf = ({ ports: { accounts }, maintenance }: Store) => ({ accounts, maintenance });

function backupsOf({ directory, store, clock }: Kept, options: Partial<BackupsOptions> = {}) {
  const folder = `${directory}/backups`;
  return createBackups({ directory, folder, keep: 2, latchd: '9.9.9', clock, log: captureLog(), ...options, ...storeOf(store) });
}

function restored(archive: string, directory: string, options: Partial<RestoreOptions> = {}) {
  return restore({
    archive,
    directory,
    now: Date.UTC(2027, 0, 1),
    acceptDamage: false,
    signal: never,
    onProgress: () => undefined,
    ...options,
  });
}

async function unpacked(archive: string): Promise<{ name: string; bytes: Buffer }[]> {
  const files: { name: string; bytes: Buffer }[] = [];
  for await (const { name, content } of readArchive(archive, never)) {
    const parts: Buffer[] = [];
    for await (const part of content) parts.push(part);
    files.push({ name, bytes: Buffer.concat(parts) });
  }
  return files;
}

async function pack(archive: string, files: readonly { name: string; bytes: Buffer }[]): Promise<void> {
  async function* all(): AsyncGenerator<ArchiveFile> {
    for (const { name, bytes } of files) yield { name, bytes: bytes.length, content: only(bytes) };
  }
  async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
    if (bytes.length > 0) yield bytes;
  }
  const parts: Buffer[] = [];
  await writeArchive({ files: all(), sink: async (bytes) => void parts.push(bytes), at: new Date(0), signal: never });
  await writeFile(archive, Buffer.concat(parts));
}

async function recordsOf(store: Store, number: number) {
  return (await store.ports.records.page({ lockId: lockId(number), ...everything })).list;
}

test('a backup of a running store contains everything, and a restore brings back every record', () =>
  withKept(async (kept) => {
    const { root, store, archive, directory } = kept;
    const before = [await recordsOf(store, 1), await recordsOf(store, 2)];
    await store.ports.accounts.addToken(ttlockToken(await store.ports.counters.next('tokenId')));
    await store.ports.ttlockLogins.put(sampleTtlockLogin(await store.ports.counters.next('ttlockLoginId')));
    const accounts = [store.ports.accounts.page(everything), store.ports.accounts.tokenPage(everything)];
    const made = await backupsOf(kept).make({ reason: 'asked', to: archive });
    expect(made).toMatchObject({ file: archive, bytes: (await stat(archive)).size });
    expect((await stat(archive)).mode & 0o777).toBe(0o600);

    const into = join(root, 'restored');
    const outcome = await restored(archive, into);
    expect(outcome).toMatchObject({ restored: true, findings: [], locks: 2, records: 600, latchd: '9.9.9' });
    expect(await readFile(`${into}/tls/ca.key`, 'utf8')).toBe('the key of the authority');
    expect(await readFile(`${into}/command.key`)).toEqual(await readFile(`${directory}/command.key`));
    expect((await readdir(root)).sort()).toEqual(['data', 'one.tar.gz', 'restored']);

    const { store: second, log } = await startedStore(into, { clock: kept.clock });
    expect([await recordsOf(second, 1), await recordsOf(second, 2)]).toEqual(before);
    expect([second.ports.accounts.page(everything), second.ports.accounts.tokenPage(everything)]).toEqual(accounts);
    expect(second.ports.locks.all()).toEqual(store.ports.locks.all());
    expect(second.ports.ttlockLogins.all()).toEqual([sampleTtlockLogin(1)]);
    expect(await second.ports.webhooks.all()).toEqual([sampleWebhook(1)]);
    expect([second.ports.people.all(), second.ports.schedules.all()]).toEqual([[samplePerson(1)], [sampleSchedule(1)]]);
    expect((await second.ports.entries.of(lockId(2))).entries).toEqual((await store.ports.entries.of(lockId(2))).entries);
    expect(second.ports.records.progress(lockId(1), 'e')).toEqual({ highest: 300, gaps: [], isBeginning: false });
    expect(log.lines.filter((line) => /^(warn|error)/.test(line))).toEqual([]);
    await second.stop();
  }));

test('a backup contains the documents and records of one instant, and no later change', () =>
  withKept(async (kept) => {
    const { root, store, archive, clock } = kept;
    const making = backupsOf(kept).make({ reason: 'asked', to: archive });
    const changes = [
      store.ports.records.append(lockId(1), 'e', sampleEvents(301, 340)),
      store.ports.locks.add(sampleLock(3)),
      store.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: 'Changed' })),
      store.ports.locks.remove(lockId(2)),
      store.ports.counters.groupId('Cellar'),
    ];
    await Promise.all([making, ...changes]);
    clock.advance(day);

    const into = join(root, 'restored');
    expect(await restored(archive, into)).toMatchObject({ restored: true, locks: 2, records: 600 });
    const { store: second } = await startedStore(into, { clock });
    expect(second.ports.locks.all().map(({ alias }) => alias)).toEqual(['Door 1', 'Door 2']);
    expect(second.ports.records.progress(lockId(1), 'e').highest).toBe(300);
    await second.stop();
  }));

test('days that are sealed and deleted while a backup is made stay readable to its end (Store 7)', () =>
  withKept(async (kept) => {
    const { root, store, archive, clock } = kept;
    const files = (await readdir(`${kept.directory}/records`)).length;
    let opened = 0;
    const making = store.maintenance.atOneInstant(async (contents) => {
      // Tomorrow the journal is sealed, and half a year later all of it is deleted.
      clock.advance(day);
      await store.maintenance.sealDays();
      clock.set(Date.UTC(2027, 11, 1));
      await store.clockTrust.acceptClock();
      expect((await store.maintenance.purge(clock.now(), recordDaysAtMost)).deleted.length).toBeGreaterThan(0);
      const lines: string[] = [];
      for (const one of contents.filter(({ name }) => name.startsWith('records/') && name.endsWith('.jsonl'))) {
        const content = await one.open();
        const bytes = Buffer.alloc(content?.bytes ?? 0);
        expect(await content?.read(bytes, 0)).toBe(bytes.length);
        lines.push(...bytes.toString('utf8').trimEnd().split('\n'));
        opened += 1;
      }
      return lines.length;
    });
    expect(await making).toBe(600);
    expect(opened).toBe(3);
    expect((await readdir(`${kept.directory}/records`)).length).toBeLessThan(files);
    // A backup that begins afterwards is complete.
    await backupsOf(kept).make({ reason: 'asked', to: archive });
    expect(await restored(archive, join(root, 'restored'))).toMatchObject({ restored: true, findings: [] });
  }));

test('a restored gateway gives out no id that the first one gave out after the backup, and neither does a second restore (Decision 7)', () =>
  withKept(async (kept) => {
    const { root, store, archive, clock } = kept;
    await backupsOf(kept).make({ reason: 'asked', to: archive });
    const given: number[] = [];
    const giveSome = async (one: Store, seq: number) => {
      for (const kind of ['lockId', 'cardId', 'accountId', 'tokenId'] as const) given.push(await one.ports.counters.next(kind));
      // A group made after the backup, and another in each later life.
      given.push(await one.ports.counters.groupId(`group ${given.length}`));
      await one.ports.records.append(lockId(1), 'later', sampleEvents(seq, seq + 9));
      return (await recordsOf(one, 1)).slice(0, 10).map(({ recordId }) => recordId);
    };
    const records = [...(await giveSome(store, 1))];
    for (const [name, now] of [
      ['first', Date.UTC(2027, 0, 1)],
      ['second', Date.UTC(2027, 0, 2)],
    ] as const) {
      await restored(archive, join(root, name), { now });
      const { store: again } = await startedStore(join(root, name), { clock });
      records.push(...(await giveSome(again, 1)));
      await again.stop();
    }
    expect(new Set(records).size).toBe(30);
    const ofKind = (n: number) => given.filter((_, index) => index % 5 === n);
    for (const n of [0, 1, 2, 3, 4]) expect(new Set(ofKind(n)).size).toBe(3);
    expect(Number.isSafeInteger(Math.max(...records, ...given))).toBe(true);
  }));

test('a restore leaps even when the clock shows 1970', () =>
  withKept(async (kept) => {
    await backupsOf(kept).make({ reason: 'asked', to: kept.archive });
    await restored(kept.archive, join(kept.root, 'restored'), { now: 0 });
    const counters = JSON.parse(await readFile(join(kept.root, 'restored/counters.json'), 'utf8'));
    expect(counters.cardId).toBeGreaterThanOrEqual(1_000_002);
    expect(counters.recordId).toBeGreaterThan(1_000_000_000);
  }));

test('a backup of a stopped store contains the files as they are, without the torn end of the journal, and locks the directory meanwhile', () =>
  withKept(async (kept) => {
    const { root, directory, store, clock, archive } = kept;
    const options = { directory, folder: root, keep: 2, latchd: '9.9.9', clock, log: captureLog() };
    await expect(backUpDirectory(options, { reason: 'asked', to: archive }, never)).rejects.toThrow('already running');
    await store.stop();
    const journal = (await readdir(`${directory}/records`))
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
      .at(-1);
    await writeFile(`${directory}/records/${journal}`, '{"recordId":99', { flag: 'a' });
    const before = await readdir(directory);
    await backUpDirectory(options, { reason: 'asked', to: archive }, never);
    expect(await readdir(directory)).toEqual(before);
    expect(await restored(archive, join(root, 'restored'))).toMatchObject({ restored: true, findings: [], records: 600 });
    await expect(backUpDirectory({ ...options, directory: join(root, 'nowhere') }, { reason: 'asked' }, never)).rejects.toThrow(
      'there is no data',
    );
  }));

test('a backup contains no temporary, earlier or set-aside file, no socket and no other backup', () =>
  withKept(async (kept) => {
    const { directory, store, archive } = kept;
    await store.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: 'Twice written' }));
    await writeFile(`${directory}/records/x.jsonl.damaged`, '?');
    const backups = backupsOf(kept);
    await backups.make({ reason: 'scheduled' });
    await backups.make({ reason: 'asked', to: archive });
    const names = (await unpacked(archive)).map(({ name }) => name);
    expect(names.filter((name) => /previous|damaged|tmp|latchd\.lock|backups|sock/.test(name))).toEqual([]);
    expect(names.at(-1)).toBe('manifest.json');
    expect(names).toContain('data/admin.token');
  }));

test('a backup of a running or stopped store contains the first token only while no other token of an administrator is valid', () =>
  withKept(async (kept) => {
    const { root, directory, store, clock } = kept;
    const backups = backupsOf(kept);
    const has = async (name: string) => (await unpacked(join(root, name))).some((file) => file.name === 'data/admin.token');
    const token = { kind: 'api' as const, accountId: 1 as AccountId, name: 'other', createdAt: 1 };
    await store.ports.accounts.addToken({ ...token, tokenId: 2, hash: 'ab'.repeat(32), expiresAt: clock.now() });
    // A token of a TTLock login lets nobody administer.
    await store.ports.accounts.addToken(ttlockToken(4, { expiresAt: null }));
    await backups.make({ reason: 'asked', to: join(root, 'expired.tar.gz') });
    expect(await has('expired.tar.gz')).toBe(true);
    const making = backups.make({ reason: 'asked', to: join(root, 'meanwhile.tar.gz') });
    await store.ports.accounts.addToken({ ...token, tokenId: 3, hash: 'cd'.repeat(32), expiresAt: null });
    await making;
    // At least one of both is always there.
    const accounts = (await unpacked(join(root, 'meanwhile.tar.gz'))).find((file) => file.name === 'data/accounts.jsonl');
    expect((await has('meanwhile.tar.gz')) || String(accounts?.bytes).includes('cdcd')).toBe(true);
    await backups.make({ reason: 'asked', to: join(root, 'other.tar.gz') });
    expect(await has('other.tar.gz')).toBe(false);
    await store.stop();
    const options = { directory, folder: root, keep: 2, latchd: '9.9.9', clock, log: captureLog() };
    await backUpDirectory(options, { reason: 'asked', to: join(root, 'stopped.tar.gz') }, never);
    expect(await has('stopped.tar.gz')).toBe(false);
    // In a backup without the first token, the other token still works after the restore.
    expect(await restored(join(root, 'other.tar.gz'), join(root, 'restored'))).toMatchObject({ restored: true, findings: [] });
  }));

test('rotation leaves the newest archives, counts those before an upgrade separately, and removes what a killed process left', () =>
  withKept(async (kept) => {
    const { directory, clock } = kept;
    const folder = `${directory}/backups`;
    await mkdir(folder);
    for (const name of ['notes.txt', 'latchd-20200101T000000Z.tar.gz.partial', 'latchd-before-upgrade-20200101T000000Z.tar.gz'])
      await writeFile(join(folder, name), 'x');
    const backups = backupsOf(kept);
    for (let n = 0; n < 4; n++) {
      await backups.make({ reason: 'scheduled' });
      clock.advance(day);
    }
    expect((await readdir(folder)).sort()).toEqual([
      'latchd-20261125T090000Z.tar.gz',
      'latchd-20261126T090000Z.tar.gz',
      'latchd-before-upgrade-20200101T000000Z.tar.gz',
      'notes.txt',
    ]);
  }));

test('backups within one second have names of their own, in the order in which they were made', () =>
  withKept(async (kept) => {
    const { root, directory } = kept;
    const backups = backupsOf(kept, { keep: 3 });
    const made: string[] = [];
    for (let n = 0; n < 4; n++) made.push((await backups.make({ reason: 'asked' })).file);
    const names = ['00', '01', '02', '03'].map((second) => `latchd-20261123T0900${second}Z.tar.gz`);
    expect(made).toEqual(names.map((name) => join(directory, 'backups', name)));
    expect((await readdir(join(directory, 'backups'))).sort()).toEqual(names.slice(1));
    const elsewhere = join(root, 'elsewhere');
    await mkdir(elsewhere);
    for (let n = 0; n < 2; n++) await backups.make({ reason: 'asked', to: elsewhere });
    expect((await readdir(elsewhere)).sort()).toEqual(names.slice(0, 2));
    expect(await restored(join(elsewhere, names[1] ?? ''), join(root, 'restored'))).toMatchObject({ restored: true });
  }));

test('only one backup runs at a time; it overwrites no archive; a stop cancels it', () =>
  withKept(async (kept) => {
    const { root, archive } = kept;
    const backups = backupsOf(kept);
    const first = backups.make({ reason: 'asked', to: archive });
    await expect(backups.make({ reason: 'asked', to: archive })).rejects.toThrow('under way already');
    await first;
    await expect(backups.make({ reason: 'asked', to: archive })).rejects.toThrow('is there already');
    expect(await restored(archive, join(root, 'restored'))).toMatchObject({ restored: true });
    const cut = backups.make({ reason: 'asked', to: join(root, 'two.tar.gz') });
    await Promise.all([expect(cut).rejects.toThrow('it was cut off'), backups.stop()]);
    expect((await readdir(root)).filter((name) => name.startsWith('two'))).toEqual([]);
  }));

test('a full disk, a read error and a failed flush end the backup with a sentence and leave nothing, and the store continues (Fault T3)', () =>
  withKept(async (kept) => {
    const { root, store, archive } = kept;
    const faults: Record<string, [FileLayer, RegExp]> = {};
    for (const [operation, code] of [
      ['write', 'ENOSPC'],
      ['sync', 'EIO'],
      ['rename', 'EROFS'],
      ['open', 'EACCES'],
    ] as const) {
      const files = faultyFiles();
      files.fault = (one, path) => (one === operation && path.includes('one.tar.gz') ? code : undefined);
      faults[operation] = [files, new RegExp(code)];
    }
    faults['room'] = [{ ...faultyFiles(), freeBytes: async () => 60_000_000 }, /only 60 MB are free/];
    for (const [files, sentence] of Object.values(faults)) {
      await expect(backupsOf(kept, { files }).make({ reason: 'asked', to: archive })).rejects.toThrow(sentence);
      expect((await readdir(root)).sort()).toEqual(['data']);
      const { highest } = store.ports.records.progress(lockId(1), 'e');
      expect(await store.ports.records.append(lockId(1), 'e', sampleEvents(highest + 1, highest + 5))).toMatchObject({ stored: 5 });
    }
    await expect(backupsOf(kept).make({ reason: 'asked', to: join(root, 'missing/one.tar.gz') })).rejects.toThrow(
      'there is no such folder',
    );
    await backupsOf(kept).make({ reason: 'asked', to: archive });
    expect(await restored(archive, join(root, 'restored'))).toMatchObject({ restored: true, records: 625 });
  }));

test('a restore rejects an incomplete, flipped or foreign archive, and one with a wrong manifest, and leaves nothing', () =>
  withKept(async (kept) => {
    const { root, archive } = kept;
    await backupsOf(kept).make({ reason: 'asked', to: archive });
    const good = await readFile(archive);
    const plain = gunzipSync(good);
    const files = await unpacked(archive);
    const manifest = JSON.parse(String(files.at(-1)?.bytes));
    const withManifest = (change: (copy: typeof manifest) => unknown) => {
      const copy = structuredClone(manifest);
      change(copy);
      return [...files.slice(0, -1), { name: 'manifest.json', bytes: Buffer.from(JSON.stringify(copy)) }];
    };
    const extra = { name: 'data/x.json', bytes: Buffer.from('{}') };
    const flipped = (at: number) => {
      const copy = Buffer.from(plain);
      copy[at] = (copy[at] as number) ^ 1;
      return gzipSync(copy);
    };
    const bad: Record<string, [Buffer | Parameters<typeof pack>[1], RegExp]> = {
      'cut off in the middle': [good.subarray(0, good.length >> 1), /cut off/],
      'cut off at its last byte': [good.subarray(0, -1), /cut off/],
      'cut off before its manifest': [files.slice(0, -1), /no manifest/],
      'a flipped byte of the file': [
        Buffer.concat([
          good.subarray(0, good.length >> 1),
          Buffer.from([~(good[good.length >> 1] as number) & 255]),
          good.subarray((good.length >> 1) + 1),
        ]),
        /damaged|cut off|no plain file|changed|goes on/,
      ],
      'a flipped byte of a file in it': [flipped(600), /damaged or changed/],
      'a flipped byte of a header': [flipped(2), /it is damaged/],
      'no gzip file': [Buffer.from('hello'), /no gzip/],
      'an empty file': [Buffer.alloc(0), /cut off/],
      'a wrong hash': [withManifest(({ files: [first] }) => Object.assign(first, { sha256: '0'.repeat(64) })), /damaged or changed/],
      'a wrong size': [withManifest(({ files: [first] }) => Object.assign(first, { bytes: first.bytes + 1 })), /by its manifest/],
      'a file that is missing': [withManifest((copy) => void copy.files.push({ ...copy.files[0], name: 'y.json' })), /names y.json/],
      'a file that is not named': [[extra, ...files], /does not name/],
      'a file twice': [[files[0] as typeof extra, ...files], /twice/],
      'a newer format': [withManifest((copy) => Object.assign(copy, { formatVersion: 2 })), /newer latchd/],
      'files behind the manifest': [[...files, extra], /behind its manifest/],
      'no counters': [withManifest((copy) => Object.assign(copy, { files: copy.files.slice(1) })).slice(1), /no counters.json/],
    };
    for (const name of [
      'data/../../evil',
      '../evil',
      '/etc/evil',
      'data/a/../evil',
      'data/.hidden',
      'data/latchd.lock',
      'evil',
      'data/a b',
      'data/',
    ])
      bad[`a file named ${name}`] = [[{ ...extra, name }, ...files], /no file of a data directory|no plain file/];
    for (const [what, [content, sentence]] of Object.entries(bad)) {
      const path = join(root, 'bad.tar.gz');
      if (Buffer.isBuffer(content)) await writeFile(path, content);
      else await pack(path, content);
      const failure = await restored(path, join(root, 'restored')).then(
        () => 'restored',
        (error: Error) => error.message,
      );
      expect({ what, failure }).toEqual({ what, failure: expect.stringMatching(sentence) });
      expect({ what, left: (await readdir(root)).sort() }).toEqual({ what, left: ['bad.tar.gz', 'data', 'one.tar.gz'] });
    }
  }));

test('a restore names a file that no data directory has and, when accepted, leaves it out; a backup leaves strange files out, too', () =>
  withKept(async (kept) => {
    const { root, directory, archive } = kept;
    await writeFile(`${directory}/evil.js`, 'throw 1');
    await mkdir(`${directory}/certificates`);
    await writeFile(`${directory}/certificates/mine.pem`, 'mine');
    await backupsOf(kept).make({ reason: 'asked', to: archive });
    const files = await unpacked(archive);
    expect(files.filter(({ name }) => /evil|mine/.test(name))).toEqual([]);

    // As an older latchd or somebody else made it.
    const bytes = Buffer.from('throw 1');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const manifest = JSON.parse(String(files.at(-1)?.bytes));
    manifest.files.push({ name: 'tls/evil.js', bytes: bytes.length, sha256 });
    const foreign = [
      ...files.slice(0, -1),
      { name: 'data/tls/evil.js', bytes },
      { name: 'manifest.json', bytes: Buffer.from(JSON.stringify(manifest)) },
    ];
    await pack(archive, foreign);
    const into = join(root, 'restored');
    expect(await restored(archive, into)).toMatchObject({
      restored: false,
      findings: [{ file: 'tls/evil.js', problem: 'is no file of a data directory, and would be left out' }],
    });
    expect((await readdir(root)).sort()).toEqual(['data', 'one.tar.gz']);
    expect(await restored(archive, into, { acceptDamage: true })).toMatchObject({ restored: true });
    expect(await readdir(`${into}/tls`)).toEqual(['ca.key']);
    expect(await verify(into)).toMatchObject({ findings: [], remarks: [] });
  }));

test('a restore rejects links and folders in an archive, whatever they point at', () =>
  withKept(async (kept) => {
    const { root, archive } = kept;
    await backupsOf(kept).make({ reason: 'asked', to: archive });
    const plain = gunzipSync(await readFile(archive));
    for (const type of ['1', '2', '5', '6', 'x', 'g', 'L']) {
      const copy = Buffer.from(plain);
      copy.write(type, 156, 'latin1');
      copy.fill(' ', 148, 156);
      const sum = copy.subarray(0, 512).reduce((total, byte) => total + byte, 0);
      copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
      await writeFile(archive, gzipSync(copy));
      await expect(restored(archive, join(root, 'restored'))).rejects.toThrow(/no plain file/);
    }
    expect((await readdir(root)).sort()).toEqual(['data', 'one.tar.gz']);
  }));

test('a restore needs an empty directory, and removes what a killed restore left', () =>
  withKept(async (kept) => {
    const { root, directory, archive } = kept;
    await backupsOf(kept).make({ reason: 'asked', to: archive });
    await expect(restored(archive, directory)).rejects.toThrow('is not empty');
    await expect(restored(archive, archive)).rejects.toThrow('ENOTDIR');
    const into = join(root, 'restored');
    await mkdir(into);
    await mkdir(join(root, '.restored.restoring'));
    await writeFile(join(root, '.restored.restoring/half.json'), 'x');
    expect(await restored(archive, into)).toMatchObject({ restored: true });
    expect(await verify(into)).toMatchObject({ findings: [] });
    expect((await readdir(root)).sort()).toEqual(['data', 'one.tar.gz', 'restored']);
  }));

const asRoot = process.getuid?.() === 0 ? test : test.skip;
asRoot('what root restores belongs to whom the empty directory belonged, the line of the restore in the audit log too', () =>
  withKept(async (kept) => {
    const { root, archive } = kept;
    await backupsOf(kept).make({ reason: 'asked', to: archive });
    const [uid, gid] = [54_321, 54_322];
    const into = join(root, 'restored');
    await mkdir(into);
    await chown(into, uid, gid);
    expect(await restored(archive, into)).toMatchObject({ restored: true, fileCount: (await unpacked(archive)).length - 1 });
    const names = await readdir(into, { recursive: true });
    expect(names).toContainEqual(expect.stringMatching(/^audit\/.+\.jsonl$/));
    for (const name of ['', ...names]) {
      const seen = await stat(join(into, name));
      expect([name, seen.uid, seen.gid]).toEqual([name, uid, gid]);
    }
  }),
);

test('a restore finds what was damaged before the backup, and rejects it unless a person accepts it', () =>
  withKept(async (kept) => {
    const { root, directory, store, clock } = kept;
    const log = captureLog();
    await store.stop();
    const path = `${directory}/locks/2.json`;
    await writeFile(path, (await readFile(path, 'utf8')).replace('"alias"', '"malias"'));
    const { store: again } = await startedStore(directory, { clock });
    const backups = createBackups({ directory, folder: root, keep: 1, latchd: '9.9.9', clock, log, ...storeOf(again) });
    const { file } = await backups.make({ reason: 'asked' });
    await again.stop();
    const into = join(root, 'restored');
    expect(await restored(file, into)).toMatchObject({ restored: false, findings: [{ file: 'locks/2.json' }] });
    expect(await readdir(root)).not.toContain('restored');
    expect(await restored(file, into, { acceptDamage: true })).toMatchObject({ restored: true, findings: [{ file: 'locks/2.json' }] });
    const { store: second } = await startedStore(into, { clock });
    expect(second.maintenance.disabledLocks()).toMatchObject([{ file: 'locks/2.json' }]);
    await second.stop();
  }));

test('a restore leaves nothing when the disk becomes full', () =>
  withKept(async (kept) => {
    const { root, archive } = kept;
    await backupsOf(kept).make({ reason: 'asked', to: archive });
    const files = faultyFiles();
    files.fault = (operation, path) => (operation === 'write' && path.endsWith('.jsonl') ? 'ENOSPC' : undefined);
    await expect(restored(archive, join(root, 'restored'), { files })).rejects.toThrow('is full (ENOSPC)');
    expect((await readdir(root)).sort()).toEqual(['data', 'one.tar.gz']);
  }));

test('a start backs up the data of an older program before changing it; when that fails, it logs the error and serves doors', () =>
  withKept(async (kept) => {
    const { root, directory, store, clock } = kept;
    await store.stop();
    const path = `${directory}/locks/1.json`;
    const older = (await readFile(path, 'utf8'))
      .replace('"schemaVersion": 4', '"schemaVersion": 1')
      .replace('"hasCards": true', '"cards": [], "intents": []')
      .replace(/,\s*"hubId": null/, '');
    for (const fails of [true, false]) {
      await writeFile(path, older);
      const log = captureLog();
      const folder = fails ? join(root, 'no-folder') : `${directory}/backups`;
      if (fails) await writeFile(folder, '');
      const upgradeBackup = createUpgradeBackup({ directory, folder, keep: 1, latchd: '9.9.9', clock, log });
      const again = testStore(directory, { clock, beforeUpgrade: upgradeBackup.make }).store;
      await again.start();
      await again.ports.locks.update(lockId(1), (lock) => ({ ...lock, alias: 'Upgraded' }));
      await again.stop();
      expect(log.lines.some((line) => /^error no backup was made before the upgrade/.test(line))).toBe(fails);
    }
    const [name, ...others] = await readdir(`${directory}/backups`);
    expect(others).toEqual([]);
    expect(name).toMatch(/^latchd-before-upgrade-/);
    const inside = await unpacked(join(directory, 'backups', name as string));
    expect(inside.find((file) => file.name === 'data/locks/1.json')?.bytes.toString()).toBe(older);
    expect(await readFile(path, 'utf8')).toContain('"schemaVersion": 4');
    // The copy is for the older program, but this one restores it, too.
    expect(await restored(join(directory, 'backups', name as string), join(root, 'restored'))).toMatchObject({
      restored: true,
      findings: [],
    });
  }));

test('a backup follows a records folder that is a link to another disk', () =>
  withKept(async (kept) => {
    const { root, directory, store, clock, archive } = kept;
    await store.stop();
    await rename(`${directory}/records`, join(root, 'elsewhere'));
    await symlink(join(root, 'elsewhere'), `${directory}/records`);
    await backUpDirectory(
      { directory, folder: root, keep: 1, latchd: '9.9.9', clock, log: captureLog() },
      { reason: 'asked', to: archive },
      never,
    );
    expect(await restored(archive, join(root, 'restored'))).toMatchObject({ restored: true, records: 600 });
    await rm(join(root, 'elsewhere'), { recursive: true });
  }));

test('the manifest names every file with its size and SHA-256', () =>
  withKept(async (kept) => {
    await backupsOf(kept).make({ reason: 'asked', to: kept.archive });
    const files = await unpacked(kept.archive);
    const manifest = JSON.parse(String(files.pop()?.bytes));
    expect(manifest).toMatchObject({
      format: 'latchd-backup',
      formatVersion: 1,
      latchd: '9.9.9',
      reason: 'asked',
      createdAt: '2026-11-23T09:00:00.000Z',
    });
    const sums = files.map(({ name, bytes }) => ({
      name: name.slice(5),
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }));
    expect(manifest.files).toEqual(sums);
  }));
