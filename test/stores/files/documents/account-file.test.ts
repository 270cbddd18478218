// accounts.jsonl on the disk: whole, damaged, or of an older program.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Account, AccountId } from '../../../../src/domain/accounts/account.ts';
import { checksummedLine } from '../../../../src/stores/files/checksummed-line.ts';
import { accountRows } from '../../../../src/stores/files/documents/account-rows.ts';
import { createRowFile } from '../../../../src/stores/files/documents/row-file.ts';
import { nodeFiles } from '../../../../src/stores/files/files.ts';
import { startedStore, testStore, withDirectory } from '../support/directory.ts';
import { everything } from '../support/samples.ts';

const eve = { accountId: 2 as AccountId, username: 'eve', gatewayAdministrator: false, accessManager: false, createdAt: 1 };
const token = (tokenId: number, accountId: number) => ({
  ...{ kind: 'api' as const, tokenId, accountId: accountId as AccountId, name: 'door', createdAt: 1, expiresAt: null },
  hash: tokenId.toString(16).padStart(64, '0'),
});
/** Of eve, with the ids from 2. */
const tokensOfEve = (count: number) => Array.from({ length: count }, (_, n) => token(n + 2, 2));

/** accounts.json as an older program left it, with what the first start made and more. */
async function olderDirectory(directory: string, tokens: readonly object[]): Promise<void> {
  const { store } = await startedStore(directory);
  const [admin] = store.ports.accounts.page(everything).list;
  const first = store.ports.accounts.token(1);
  await store.stop();
  await rm(`${directory}/accounts.jsonl`);
  const older = [admin as Account, eve].map(({ accessManager: _, ...account }) => account);
  const olderTokens = [first, ...tokens].map((one) => ({ ...one, kind: undefined }));
  const content = { schemaVersion: 1, accounts: older, tokens: olderTokens };
  await writeFile(`${directory}/accounts.json`, JSON.stringify(content), { mode: 0o600 });
  await writeFile(`${directory}/accounts.json.previous`, 'older still', { mode: 0o600 });
}

test('the accounts of an older program are upgraded from accounts.json once, with a copy beside, and no id is given out again', () =>
  withDirectory(async (directory) => {
    await olderDirectory(directory, [token(7, 2)]);
    let upgrades = 0;
    const beforeUpgrade = async () => {
      upgrades += 1;
    };
    const second = await startedStore(directory, { beforeUpgrade });
    expect(second.store.ports.accounts.get(eve.accountId)).toEqual(eve);
    expect(second.store.ports.accounts.byName('admin')).toMatchObject({ gatewayAdministrator: true, accessManager: true });
    expect(second.store.ports.accounts.tokenByHash(token(7, 2).hash)).toEqual(token(7, 2));
    expect(await second.store.ports.counters.next('tokenId')).toBe(8);
    await second.store.stop();
    const names = (await readdir(directory)).filter((name) => name.startsWith('accounts'));
    expect(names.sort()).toEqual(['accounts.json.schema-1', 'accounts.jsonl']);
    const third = await startedStore(directory, { beforeUpgrade });
    expect([upgrades, third.store.ports.accounts.byName('eve')]).toEqual([1, eve]);
    await third.store.stop();
  }));

test.each([1, 2])(
  'rows of schema %d are upgraded once, with a copy beside: gateway administrators manage people, tokens are of the API',
  (schema) =>
    withDirectory(async (directory) => {
      const path = `${directory}/accounts.jsonl`;
      const { store } = await startedStore(directory);
      await store.ports.accounts.add(eve);
      await store.ports.accounts.add({ ...eve, accountId: 3 as AccountId, username: 'max' });
      await store.ports.accounts.remove(3 as AccountId, 9);
      await store.stop();
      const older = (await readFile(path, 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => {
          const { crc: _, ...content } = JSON.parse(
            line
              .replaceAll(schema === 1 ? /"accessManager":\w+,|"kind":"api",/g : /"kind":"api",/g, '')
              .replace('"schemaVersion":3', `"schemaVersion":${schema}`),
          );
          return checksummedLine(content);
        })
        .join('');
      await writeFile(path, older);
      let upgrades = 0;
      const beforeUpgrade = async () => {
        upgrades += 1;
      };
      for (let start = 0; start < 2; start++) {
        const again = await startedStore(directory, { beforeUpgrade });
        const { accounts } = again.store.ports;
        expect([accounts.token(1)?.kind, accounts.token(1)?.name]).toEqual(['api', 'first start']);
        expect([accounts.byName('admin')?.accessManager, accounts.get(eve.accountId), accounts.nameOf(3 as AccountId)]).toEqual([
          true,
          eve,
          'max',
        ]);
        await again.store.stop();
      }
      expect([upgrades, await readFile(`${path}.schema-${schema}`, 'utf8')]).toEqual([1, older]);
    }),
);

test('when a power cut left both files, the rows count, and the document is deleted', () =>
  withDirectory(async (directory) => {
    await olderDirectory(directory, [token(7, 2)]);
    const older = await readFile(`${directory}/accounts.json`);
    const second = await startedStore(directory);
    await second.store.ports.accounts.removeTokens([7]);
    await second.store.stop();
    await writeFile(`${directory}/accounts.json`, older);
    const third = await startedStore(directory);
    expect(third.store.ports.accounts.token(7)).toBeUndefined();
    expect(await readdir(directory)).not.toContain('accounts.json');
    await third.store.stop();
  }));

test('each change is one line, and all changes are there after a restart', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    const lines = async () => (await readFile(`${directory}/accounts.jsonl`, 'utf8')).split('\n').length;
    const before = await lines();
    await store.ports.accounts.add(eve);
    await store.ports.accounts.addToken(token(2, 2));
    await store.ports.accounts.addToken(token(3, 2));
    await store.ports.accounts.removeTokens([2]);
    expect((await lines()) - before).toBe(4);
    await store.stop();
    const again = await startedStore(directory);
    expect(again.store.ports.accounts.page(everything).list.at(-1)).toEqual(eve);
    expect(again.store.ports.accounts.tokenPage(everything).list.map(({ tokenId }) => tokenId)).toEqual([1, 3]);
    await again.store.stop();
  }));

test('a start fails when the file is empty, damaged, of a newer program or without any account, and the file stays', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.stop();
    const path = `${directory}/accounts.jsonl`;
    const good = await readFile(path, 'utf8');
    for (const [text, reason] of [
      ['', 'it has no header; put accounts.jsonl back from a backup'],
      [good.split('\n')[0] as string, 'it has no header'],
      [`${good.split('\n')[0]}\n`, 'it holds no account'],
      [good.slice(0, good.indexOf('username')), 'it holds no account'],
      [good.replace('"admin"', '"mallory"'), 'line 2 is not as it was written'],
    ] as const) {
      await writeFile(path, text);
      await expect(testStore(directory).store.start()).rejects.toThrow(`${path} is damaged: ${reason}`);
      expect(await readFile(path, 'utf8')).toBe(text);
    }
  }));

test('removing an account with thousands of tokens ends all of them at once, and others work on while their rows are deleted', () =>
  withDirectory(async (directory) => {
    await olderDirectory(directory, tokensOfEve(20_000));
    const { store } = await startedStore(directory);
    const { accounts } = store.ports;
    const last = token(20_001, 2);
    expect([accounts.tokenPage(everything).total, accounts.tokenByHash(last.hash)]).toEqual([20_001, last]);
    await accounts.remove(eve.accountId, 1);
    expect([accounts.tokenPage(everything).total, accounts.tokenByHash(last.hash)]).toEqual([1, undefined]);
    // Answered while most of the tokens are still in the file.
    await accounts.add({ ...eve, accountId: 3 as AccountId });
    expect(await readFile(`${directory}/accounts.jsonl`, 'utf8')).toContain('"token 20001"');
    await store.stop();
    // The tokens were most of the file, so it was rewritten.
    expect(await readFile(`${directory}/accounts.jsonl`, 'utf8')).not.toContain('"token 20001"');
  }));

test('the newest 10,000 names of removed accounts are there after a restart and a crash, and no id is given out again', () =>
  withDirectory(async (directory) => {
    const first = await startedStore(directory);
    const id = (n: number) => n as AccountId;
    for (const n of [2, 3]) await first.store.ports.accounts.add({ ...eve, accountId: id(n), username: `name ${n}` });
    await first.store.ports.accounts.remove(id(3), 50);
    await first.store.stop();
    const path = `${directory}/accounts.jsonl`;
    // The removal and the name that is remembered are one line: a power cut leaves both or neither.
    expect((await readFile(path, 'utf8')).trimEnd().split('\n').at(-1)).toMatch(/"account 3",null.*"removed 3"/);
    const second = await startedStore(directory);
    expect([second.store.ports.accounts.get(id(3)), second.store.ports.accounts.nameOf(id(3))]).toEqual([undefined, 'name 3']);
    expect(await second.store.ports.counters.next('accountId')).toBe(4);
    await second.store.stop();
    const rows = createRowFile({ files: nodeFiles(), path, format: accountRows });
    await rows.load();
    const many = Array.from({ length: 9_999 }, (_, n) => ({ accountId: id(n + 4), username: `name ${n + 4}`, removedAt: n + 4 }));
    await rows.update(() => many.map((one) => [`removed ${one.accountId}`, one] as const));
    const third = await startedStore(directory);
    const names = ({ store }: typeof third) => [3, 4, 5, 10_002, 10_003].map((n) => store.ports.accounts.nameOf(id(n)));
    expect(names(third)).toEqual(['name 3', 'name 4', 'name 5', 'name 10002', undefined]);
    await third.store.ports.accounts.add({ ...eve, accountId: id(10_003), username: 'name 10003' });
    await third.store.ports.accounts.remove(id(10_003), 20_000);
    await third.store.stop();
    const fourth = await startedStore(directory);
    expect(names(fourth)).toEqual([undefined, 'name 4', 'name 5', 'name 10002', 'name 10003']);
    await fourth.store.stop();
  }));
