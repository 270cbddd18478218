import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { brokerClientId, readBrokerCredentials } from '../../src/platform/broker-credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'latchd-credentials-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('what a connection to an outside broker needs', () => {
  test('the password is the first line of its file, as it is at that moment', async () => {
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, 'first\r\nsecond\n');
    expect(await readBrokerCredentials({ username: 'latchd', passwordFile })).toMatchObject({ username: 'latchd', password: 'first' });
    writeFileSync(passwordFile, 'changed');
    expect(await readBrokerCredentials({ username: 'latchd', passwordFile })).toMatchObject({ password: 'changed' });
  });

  test('a file that is missing or empty is named, without what is in it', async () => {
    const passwordFile = join(folder, 'none');
    await expect(readBrokerCredentials({ username: 'a', passwordFile })).rejects.toThrow(`${passwordFile} cannot be read (ENOENT)`);
    writeFileSync(passwordFile, '\nsecret');
    await expect(readBrokerCredentials({ username: 'a', passwordFile })).rejects.toThrow(`${passwordFile} has no first line`);
    await expect(readBrokerCredentials({ ca: join(folder, 'ca') })).rejects.toThrow('the authorities');
  });

  test('the client id of a bridge stays the same, and each bridge and each gateway has another', async () => {
    const path = join(folder, 'broker-client.id');
    const id = await brokerClientId(path, 'house');
    expect(id).toMatch(/^latchd-[0-9a-f]{8}$/);
    expect(await brokerClientId(path, 'house')).toBe(id);
    expect(await brokerClientId(path, 'barn')).not.toBe(id);
    expect(await brokerClientId(join(folder, 'other.id'), 'house')).not.toBe(id);
    expect(readFileSync(path, 'utf8')).toMatch(/^[0-9a-f]{32}\n$/);
  });

  test('a damaged file gets new content, and one that cannot be written is named', async () => {
    const path = join(folder, 'damaged.id');
    writeFileSync(path, 'half');
    await brokerClientId(path, 'house');
    expect(readFileSync(path, 'utf8')).toMatch(/^[0-9a-f]{32}\n$/);
    const nowhere = join(folder, 'no-folder', 'broker-client.id');
    await expect(brokerClientId(nowhere, 'house')).rejects.toThrow(`the client id cannot be stored in ${nowhere}`);
  });
});
