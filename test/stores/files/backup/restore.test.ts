// Where a backup may be restored to while another user works on the same machine, which tokens are valid afterwards, and that errors are
// sentences.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type { AccountId } from '../../../../src/domain/accounts/account.ts';
import { backUpDirectory } from '../../../../src/stores/files/backup/backups.ts';
import { type RestoreOptions, restore } from '../../../../src/stores/files/backup/restore.ts';
import { createSecrets } from '../../../../src/stores/files/documents/secrets.ts';
import { sampleTtlockLogin, ttlockToken } from '../../../support/sample-ttlock.ts';
import { captureLog, manualClock, startedStore, withDirectory } from '../support/directory.ts';

const never = new AbortController().signal;
/** The user id of no account on any Debian. */
const stranger = 65_534;
const asRoot = process.getuid?.() === 0 ? test : test.skip;

interface Kept {
  readonly root: string;
  readonly archive: string;
  /** The token of the first start. */
  readonly token: string;
}

/** A backup of a gateway with the accounts admin and reception, with a token each. */
async function withArchive(run: (kept: Kept) => Promise<void>): Promise<void> {
  await withDirectory(async (root) => {
    const directory = join(root, 'data');
    const archive = join(root, 'one.tar.gz');
    const { store, clock } = await startedStore(directory);
    const accountId = (await store.ports.counters.next('accountId')) as AccountId;
    const tokenId = await store.ports.counters.next('tokenId');
    await store.ports.accounts.add({ accountId, username: 'reception', gatewayAdministrator: false, accessManager: false, createdAt: 1 });
    await store.ports.accounts.addToken({
      kind: 'api',
      tokenId,
      accountId,
      name: 'desk',
      hash: 'ab'.repeat(32),
      createdAt: 1,
      expiresAt: null,
    });
    await store.ports.accounts.addToken(ttlockToken(await store.ports.counters.next('tokenId'), { accountId }));
    await store.ports.ttlockLogins.put(sampleTtlockLogin(await store.ports.counters.next('ttlockLoginId'), { accountId }));
    const token = (await readFile(`${directory}/admin.token`, 'utf8')).trim();
    await store.stop();
    const options = { directory, folder: root, keep: 1, latchd: '9.9.9', clock, log: captureLog() };
    await backUpDirectory(options, { reason: 'asked', to: archive }, never);
    // Other users may pass through it, but not list it.
    await chmod(root, 0o711);
    await run({ root, archive, token });
  });
}

function restored(archive: string, directory: string, options: Partial<RestoreOptions> = {}) {
  const now = Date.UTC(2027, 0, 1);
  return restore({ archive, directory, now, acceptDamage: false, signal: never, onProgress: () => undefined, ...options });
}

async function sharedFolder(root: string, mode: number): Promise<string> {
  const shared = join(root, 'shared');
  await mkdir(shared);
  await chmod(shared, mode);
  return shared;
}

/**
 * Makes the folder in which a backup is assembled as soon as it is missing, with accounts of the attacker in it; `toggling` removes it
 * again each time.
 */
async function attacker(shared: string, toggling: boolean): Promise<ChildProcess> {
  const script = `
    const { mkdirSync, rmSync, writeFileSync, chmodSync } = require('node:fs');
    const path = ${JSON.stringify(join(shared, '.restored.restoring'))};
    const quietly = (work) => { try { work(); } catch {} };
    process.stdout.write('ready');
    for (;;) {
      quietly(() => mkdirSync(path));
      quietly(() => { rmSync(path + '/accounts.jsonl'); writeFileSync(path + '/accounts.jsonl', 'mine'); });
      if (${toggling}) quietly(() => rmSync(path, { recursive: true }));
    }`;
  const child = spawn(process.execPath, ['-e', script], { uid: stranger, gid: stranger, cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child;
}

asRoot('another user who makes folders at the same moment gets nothing of the backup, and nothing into what is restored', () =>
  withArchive(async ({ root, archive }) => {
    const good = await readFile(join(root, 'data/accounts.jsonl'));
    const shared = await sharedFolder(root, 0o1777);
    const into = join(shared, 'restored');
    const ends: string[] = [];
    for (let round = 0; round < 12; round++) {
      const other = await attacker(shared, round % 3 === 0);
      const end = await restored(archive, into).then(
        () => 'restored',
        (error: Error) => error.message,
      );
      const seen = await readdir(join(shared, '.restored.restoring')).catch(() => []);
      other.kill('SIGKILL');
      await once(other, 'close');
      ends.push(end);
      // Nothing of the backup; the other one is the attacker's own.
      expect(seen.filter((name) => name !== 'accounts.jsonl')).toEqual([]);
      if (end === 'restored') {
        const names = ['', ...(await readdir(into, { recursive: true }))];
        for (const name of names) expect([name, (await stat(join(into, name))).uid]).toEqual([name, 0]);
        expect(await readFile(join(into, 'accounts.jsonl'))).toEqual(good);
      } else expect(end).toMatch(/belongs to another user|somebody else makes/);
      for (const name of await readdir(shared)) await rm(join(shared, name), { recursive: true });
    }
    expect(ends.filter((end) => end !== 'restored').length).toBeGreaterThan(0);
  }),
);

asRoot('a place that others can move or replace is refused, with a sentence that says whose it is', () =>
  withArchive(async ({ root, archive }) => {
    const shared = await sharedFolder(root, 0o777);
    await expect(restored(archive, join(shared, 'restored'))).rejects.toThrow(`others can write to ${shared}, and could put`);
    await chmod(shared, 0o1777);
    await mkdir(join(shared, 'restored'));
    await chown(join(shared, 'restored'), stranger, stranger);
    await expect(restored(archive, join(shared, 'restored'))).rejects.toThrow('belongs to another user (uid 65534)');
    await mkdir(join(shared, '.next.restoring'));
    await chown(join(shared, '.next.restoring'), stranger, stranger);
    await expect(restored(archive, join(shared, 'next'))).rejects.toThrow('belongs to another user (uid 65534)');
    await chmod(shared, 0o700);
    await chown(shared, stranger, stranger);
    await expect(restored(archive, join(shared, 'a/b'))).rejects.toThrow(`${shared} belongs to another user (uid 65534), who could`);
    expect((await readdir(root)).sort()).toEqual(['data', 'one.tar.gz', 'shared']);
    // In a folder of root's, the restored data goes to the owner of the empty directory.
    await chown(shared, 0, 0);
    expect(await restored(archive, join(shared, 'restored'))).toMatchObject({ restored: true });
    expect((await stat(join(shared, 'restored/accounts.jsonl'))).uid).toBe(stranger);
  }),
);

test('a restore works below the system folder for temporary files, and through a link', () =>
  withArchive(async ({ root, archive }) => {
    await mkdir(join(root, 'disk'));
    await symlink(join(root, 'disk'), join(root, 'link'));
    expect(await restored(archive, join(root, 'link'))).toMatchObject({ restored: true, tokenOf: null });
    expect(await readdir(join(root, 'disk'))).toContain('accounts.jsonl');
    const { store } = await startedStore(join(root, 'disk'), { clock: manualClock(Date.UTC(2027, 0, 2)) });
    const { accounts, ttlockLogins } = store.ports;
    expect([ttlockLogins.all().map(({ loginId }) => loginId), accounts.tokensOfLogin(1).length]).toEqual([[1], 1]);
    await store.stop();
    expect(await restored(archive, join(root, 'new/folder'))).toMatchObject({ restored: true });
    expect((await stat(join(root, 'new/folder'))).mode & 0o777).toBe(0o700);
  }));

test('a restore revokes the tokens on request: no token of the backup is valid, and an administrator has a new one', () =>
  withArchive(async ({ root, archive, token }) => {
    const into = join(root, 'restored');
    expect(await restored(archive, into, { revokeTokens: true })).toMatchObject({ restored: true, findings: [], tokenOf: 'admin' });
    const fresh = await readFile(`${into}/admin.token`, 'utf8');
    expect(fresh).toMatch(/^latchd_[\w-]{43}\n$/);
    expect((await stat(`${into}/admin.token`)).mode & 0o777).toBe(0o600);
    expect(await readdir(into)).not.toContain('accounts.jsonl.previous');

    const { store } = await startedStore(into, { clock: manualClock(Date.UTC(2027, 0, 2)) });
    const secrets = createSecrets();
    const all = store.ports.accounts.tokenPage({ pageNo: 1, pageSize: 10 }).list;
    expect(all).toEqual([expect.objectContaining({ accountId: 1, name: 'restore', expiresAt: null })]);
    expect(store.ports.accounts.tokenByHash(secrets.hash(token))).toBeUndefined();
    expect(store.ports.accounts.tokenByHash(secrets.hash(fresh.trim()))).toEqual(all[0]);
    // No id of a token is given out twice.
    expect(await store.ports.counters.next('tokenId')).toBe((all[0]?.tokenId ?? 0) + 1);
    expect(store.ports.accounts.byName('reception')).toBeDefined();
    // Nor is a TTLock login, and its number is not given again.
    expect([store.ports.ttlockLogins.all(), (await store.ports.counters.next('ttlockLoginId')) > 1]).toEqual([[], true]);
    await store.stop();
  }));

test('a restore rejects a file that is no archive with a sentence of latchd', () =>
  withArchive(async ({ root }) => {
    const into = join(root, 'restored');
    const header = Buffer.alloc(512);
    header.write('data/counters.json');
    // A size of all ones, as numbers beyond eight digits are written in such headers.
    header.fill(0xff, 124, 136);
    header.fill(' ', 148, 156);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
      'latin1',
    );
    header[124] = 0x80;
    await writeFile(join(root, 'large.tar.gz'), gzipSync(header));
    await expect(restored(join(root, 'large.tar.gz'), into)).rejects.toThrow(/large\.tar\.gz was not restored: it is damaged$/);
    await expect(restored(join(root, 'none.tar.gz'), into)).rejects.toThrow(/none\.tar\.gz was not restored: there is no such file/);
    await expect(restored(root, into)).rejects.toThrow(/was not restored: it is a folder$/);
    await expect(restored(join(root, 'one.tar.gz'), join(root, 'one.tar.gz/below'))).rejects.toThrow(
      /one\.tar\.gz\/below cannot be used \(ENOTDIR\): it, or/,
    );
  }));
