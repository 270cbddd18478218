// Found by multicast DNS: the real daemon in a network of its own, asked by a real query.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { transformSync } from '@swc/core';
import { program } from '../support/site.ts';

const folder = mkdtempSync(join(tmpdir(), 'latchd-discovery-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** How this user may make a network namespace; undefined: not at all. */
const ownNetwork = [['--net'], ['--user', '--map-root-user', '--net']].find(
  (flags) => spawnSync('unshare', [...flags, 'ip', 'link', 'set', 'lo', 'up']).status === 0,
);
const inOwnNetwork = ownNetwork ? test : test.skip;

interface Visit {
  readonly answers: readonly { readonly name: string; readonly type: string; readonly ttl: number; readonly says: string }[];
  readonly afterwards: Visit['answers'];
  readonly exitCode: number | null;
  readonly log: string;
}

async function visit(...flags: string[]): Promise<Visit> {
  const source = readFileSync(resolve(import.meta.dirname, '../support/mdns-visit.ts'), 'utf8');
  const { code } = transformSync(source, { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } });
  const serve = [program, 'serve', '--data-dir', mkdtempSync(join(folder, 'data-')), ...flags];
  const inside = ['sh', '-c', 'ip link set lo up; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', code, '--', ...serve];
  const { stdout } = await promisify(execFile)('unshare', [...(ownNetwork ?? []), ...inside], { maxBuffer: 8 << 20 });
  return JSON.parse(stdout) as Visit;
}

describe('discovery', () => {
  const host = `latchd-${hostname().split('.')[0]?.toLowerCase()}`;

  inOwnNetwork(
    'a query for _latchd._tcp and _mqtt._tcp is answered with host, port and facts, and a stop says goodbye (RFC 6762 section 10.1)',
    async () => {
      const { answers, afterwards, exitCode, log } = await visit('--http-host', '0.0.0.0', '--mqtt-host', '0.0.0.0');
      const told = (type: string) => new Set(answers.filter((one) => one.type === type).map(({ says }) => says));
      expect(told('SRV')).toEqual(new Set([`${host}.local:8080`, `${host}-mqtt.local:1883`]));
      expect(told('TXT')).toEqual(new Set(['txtvers=1 scheme=http path=/api/v1', 'txtvers=1 scheme=mqtt root=latchd/v1']));
      expect(told('A')).toEqual(new Set(['127.0.0.1']));
      const gone = afterwards.filter(({ type, ttl }) => type === 'PTR' && ttl === 0).map(({ name }) => name);
      expect(new Set(gone)).toEqual(new Set(['_latchd._tcp.local', '_mqtt._tcp.local']));
      expect(exitCode).toBe(0);
      // The library has no way to our log but ours.
      for (const line of log.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
    },
  );
});
