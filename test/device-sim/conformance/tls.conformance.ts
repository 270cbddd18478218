// `latchd conformance` between a lock and a gateway that both speak TLS.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Bench, notHeld, openBench } from '../../support/conformance-bench.ts';
import { makeLoopbackCertificate } from '../../support/loopback-certificate.ts';

let bench: Bench;
let authority: string;
let ours: readonly string[];
beforeAll(async () => {
  bench = await openBench({ flags: ['--mqtts-enabled', 'true', '--mqtts-host', '127.0.0.1', '--mqtts-port', '0'] });
  const { ca, cert, key } = await makeLoopbackCertificate();
  const file = (name: string) => join(bench.folder, name);
  for (const [name, text] of Object.entries({ 'lock-ca.crt': ca, 'tool.crt': cert, 'tool.key': key })) await writeFile(file(name), text);
  authority = file('lock-ca.crt');
  ours = ['--mqtt', bench.gateway.mqttsUrl, '--tls-cert', file('tool.crt'), '--tls-key', file('tool.key')];
});
afterAll(() => bench.close());
const gatewayCa = () => ['--ca', join(bench.folder, 'data/tls/ca.crt')];

test('over TLS on both sides everything is seen as without it', async () => {
  const only = ['--only', '2,3,6,9,unlock-lock,resend,twice,other-session'];
  const { exitCode, checks, stderr } = await bench.run({ args: [...ours, ...gatewayCa(), ...only], ca: authority });
  expect([exitCode, notHeld(checks), stderr.includes('fail')]).toEqual([0, [], false]);
});

test('it says that the lock does not trust it, or that it does not trust the gateway', async () => {
  const wait = ['--wait', '8', '--only', 'unlock-lock'];
  const stranger = await bench.run({ args: [...ours, ...gatewayCa(), ...wait], ca: join(bench.folder, 'data/tls/ca.crt') });
  expect([stranger.exitCode, stranger.stderr]).toEqual([
    2,
    expect.stringMatching(/a TLS handshake with the lock failed|a connection of the lock failed before its CONNECT: .*unknown ca/),
  ]);
  const unknown = await bench.run({ args: [...ours, ...wait], ca: authority });
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    2,
    expect.stringMatching(/the connection to mqtts:\/\/127.0.0.1:\d+ failed: .*certificate/),
  ]);
});
