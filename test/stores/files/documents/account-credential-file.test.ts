// Passwords and passkeys on the disk: there after a restart, never in place of nothing, and gone with their account or by a restore.
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { AccountId } from '../../../../src/domain/accounts/account.ts';
import { revokeTokens } from '../../../../src/stores/files/backup/revoke-tokens.ts';
import { nodeFiles } from '../../../../src/stores/files/files.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { samplePasskey, samplePassword } from '../../../support/sample-sign-ins.ts';
import { startedStore, withDirectory } from '../support/directory.ts';

const first = 1 as AccountId;

test('passwords and passkeys are there after a restart, for their owner alone to read', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.signInCredentials.setPassword(samplePassword());
    await store.ports.signInCredentials.putPasskey(samplePasskey(await store.ports.counters.next('passkeyId')));
    await store.stop();
    expect((await stat(`${directory}/account-credentials.jsonl`)).mode & 0o777).toBe(0o600);
    const { store: second } = await startedStore(directory);
    expect(second.ports.signInCredentials.password(first)).toEqual(samplePassword());
    expect(second.ports.signInCredentials.passkeyByCredential('credential1')).toEqual(samplePasskey(1));
    await second.stop();
    expect(await verify(directory)).toMatchObject({ findings: [], remarks: [] });
  }));

test('a damaged file stops the start, and so does one that is gone although there were passkeys', () =>
  withDirectory(async (directory) => {
    const path = `${directory}/account-credentials.jsonl`;
    const { store } = await startedStore(directory);
    await store.ports.signInCredentials.putPasskey(samplePasskey(await store.ports.counters.next('passkeyId')));
    await store.stop();
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('gateway.local', 'evil.examples'));
    await expect(startedStore(directory)).rejects.toThrow('account-credentials.jsonl is damaged');
    await rm(path);
    await expect(startedStore(directory)).rejects.toThrow('account-credentials.jsonl is missing although other data is there');
    await writeFile(path, text);
    await (await startedStore(directory)).store.stop();
  }));

test('a restore that trusts no token of the backup trusts no password and no passkey of it either', () =>
  withDirectory(async (directory) => {
    const { store } = await startedStore(directory);
    await store.ports.signInCredentials.setPassword(samplePassword());
    await store.ports.signInCredentials.putPasskey(samplePasskey());
    await store.stop();
    await revokeTokens(nodeFiles(), directory, 1);
    const { store: second } = await startedStore(directory);
    expect([second.ports.signInCredentials.password(first), second.ports.signInCredentials.passkeys(first)]).toEqual([undefined, []]);
    await second.stop();
  }));
