// The root certificate that strangers may ask for.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/app/config.ts';
import { createEndpoints } from '../../src/app/listener-config.ts';
import { createClock } from '../../src/platform/clock.ts';

const log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} };
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'latchd-authority-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const endpointsFor = (flags: Readonly<Record<string, string>>) =>
  createEndpoints(loadConfig({ file: 'config/latchd.yaml', environment: {}, flags: { '--data-dir': dataDir, ...flags } }).config, {
    clock: createClock(),
    log,
  });

test('the root certificate is read from the disk once, and again when the certificates have changed', async () => {
  const { certificates, authority } = endpointsFor({ '--https-enabled': 'true' });
  await certificates?.start();
  const file = `${dataDir}/tls/ca.crt`;
  const first = await authority();
  expect(first).toBe(await readFile(file, 'utf8'));
  await rm(`${dataDir}/tls`, { recursive: true });
  expect(await authority()).toBe(first);
  await certificates?.reload();
  const second = await authority();
  expect(second).toBe(await readFile(file, 'utf8'));
  expect(second).not.toBe(first);
  await certificates?.stop();
});

test('without TLS there is none', async () => {
  expect(await endpointsFor({}).authority()).toBeUndefined();
});
