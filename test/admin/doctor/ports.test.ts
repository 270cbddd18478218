// Ports and reach: which program uses a port, who could open it, and which locks could reach it.
import { type ChildProcess, spawn } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { freePort } from '../../support/free-port.ts';
import { said, withPatient } from './support/patient.ts';

const others: ChildProcess[] = [];
afterEach(() => {
  for (const other of others.splice(0)) other.kill('SIGKILL');
});

/** Another program that listens on 127.0.0.1. */
async function anotherProgram(): Promise<{ readonly pid: number; readonly port: number }> {
  const script = "const s = require('net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port))";
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  others.push(child);
  const port = await new Promise<number>((resolve) => child.stdout?.once('data', (text) => resolve(Number(text))));
  return { pid: child.pid ?? 0, port };
}

describe('ports', () => {
  test('are free when nobody uses them, and stay so', async () => {
    await withPatient(async ({ config, look }) => {
      const port = await freePort();
      for (const _ of [1, 2]) {
        expect(said(await look({ config: config({ '--http-port': String(port) }) }), 'ports')).toContain(
          `ok http 127.0.0.1:${port} is free`,
        );
      }
    });
  });

  test('are reported with name and process when another program uses them', async () => {
    await withPatient(async ({ config, look }) => {
      const { pid, port } = await anotherProgram();
      const findings = await look({ config: config({ '--mqtt-port': String(port) }) });
      expect(said(findings, 'ports')).toContain(`fail mqtt 127.0.0.1:${port} is taken by node (process ${pid})`);
    });
  });

  test('are reported when two listeners want the same one under different names', async () => {
    await withPatient(async ({ config, look }) => {
      const port = await freePort();
      const apart = config({ '--http-port': String(port) });
      const findings = await look({ config: { ...apart, mqtt: { ...apart.mqtt, port } } });
      expect(said(findings, 'ports')).toEqual([
        `ok http 127.0.0.1:${port} is free`,
        `fail mqtt 127.0.0.1:${port} is taken by another listener of this configuration`,
      ]);
    });
  });

  test('fail on an address that this machine does not have (RFC 5737), and on an unknown name', async () => {
    await withPatient(async ({ config, look }) => {
      const findings = await look({ config: config({ '--http-host': '203.0.113.9', '--mqtt-host': 'nobody.invalid' }) });
      expect(said(findings, 'ports')).toEqual([
        'fail http 203.0.113.9:0: no network interface of this machine has that address',
        expect.stringMatching(/^fail mqtt nobody\.invalid:0 cannot be opened \(\w+\)$/),
      ]);
    });
  });

  test('fail on a port for root when the daemon will not be root', async () => {
    await withPatient(async ({ directory, config, look }) => {
      if (process.getuid?.() === 0) await chown(directory, 12_345, 12_345);
      const findings = await look({ config: config({ '--http-port': '1' }) });
      expect(said(findings, 'ports')).toContain('fail http 127.0.0.1:1 is a port for root, and the daemon is not root');
    });
  });
});

describe('reach', () => {
  test('warns when listeners on loopback alone keep every lock out', async () => {
    await withPatient(async ({ config, look }) => {
      const flags = { '--mqtt-host': 'localhost', '--mqtts-enabled': 'true', '--mqtts-host': '::1', '--http-host': '0.0.0.0' };
      expect(said(await look({ config: config({ ...flags, '--mqtts-port': '0' }) }), 'reach')).toEqual([
        'warn locks reach this gateway from this machine alone: every listener for them is on a loopback address',
      ]);
    });
  });

  test.each([
    [{ '--mqtts-enabled': 'true', '--mqtts-port': '0' }, 'ok locks can come by mqtts 0.0.0.0:0'],
    [
      { '--devices-enabled': 'true', '--devices-host': '0.0.0.0', '--devices-port': '0', '--devices-networks': '10.0.0.0/8' },
      'ok locks can come by devices 0.0.0.0:0',
    ],
    [{ '--https-enabled': 'true', '--https-port': '0' }, 'ok locks can come by MQTT over WebSocket (https) 0.0.0.0:0'],
    [{ '--web-socket-plain': 'true', '--http-host': '0.0.0.0' }, 'ok locks can come by MQTT over WebSocket (http) 0.0.0.0:0'],
  ])('is fine with %j', async (flags, sentence) => {
    await withPatient(async ({ config, look }) => {
      expect(said(await look({ config: config(flags) }), 'reach')).toEqual([sentence]);
    });
  });
});
