// Certificates of the gateway's own authority and of somebody else's: expired, mixed up, unreachable.
import { chmod, chown, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import type { Config } from '../../../src/app/config.ts';
import { certificateNames } from '../../../src/platform/mdns/machine-names.ts';
import { createOwnCertificates } from '../../../src/platform/tls/local-certificates.ts';
import { makeAuthority, makeKey, makeServerCertificate } from '../../../src/platform/tls/x509.ts';
import { captureLog, manualClock } from '../../stores/files/support/directory.ts';
import { madeAt, type Patient, said, withPatient } from './support/patient.ts';

const dayMs = 86_400_000;
const at = (now: number) => ({ clock: { now: () => now, monotonic: () => 0 } });
const encrypted = { '--mqtts-enabled': 'true', '--mqtts-port': '0' };

async function makeOwn({ directory }: Patient, names = certificateNames([], true)): Promise<void> {
  const options = { folder: `${directory}/tls`, names: () => names, clock: manualClock(madeAt), log: captureLog() };
  await createOwnCertificates(options).open();
}

/** A certificate of somebody else's authority, valid for so many days from `madeAt` on. */
async function given(
  patient: Patient,
  days: number,
  names: readonly string[] = [hostname()],
): Promise<{ readonly config: Config; readonly certificate: string; readonly key: string }> {
  const [authorityKey, key] = [makeKey(), makeKey()];
  const validity = { from: madeAt - dayMs, to: madeAt + days * dayMs };
  const authority = { key: authorityKey, certificate: await makeAuthority({ key: authorityKey, name: 'house', ...validity }) };
  const tls = { certificate: `${patient.directory}/../tls.crt`, key: `${patient.directory}/../tls.key` };
  await writeFile(tls.certificate, await makeServerCertificate({ key, authority, names, ...validity }));
  await writeFile(tls.key, key, { mode: 0o600 });
  return { config: { ...patient.config(encrypted), tls }, ...tls };
}

describe('the own authority', () => {
  test('is reported as in order, or still to be made', async () => {
    await withPatient(async (patient) => {
      const config = patient.config(encrypted);
      expect(said(await patient.look({ config }), 'certificates')).toEqual([
        `ok the first start makes an authority in ${patient.directory}/tls`,
      ]);
      await makeOwn(patient);
      const found = said(await patient.look({ config }), 'certificates');
      expect(found.map((line) => line.split(',')[0])).toEqual(['ok the own authority', 'ok server.crt', 'ok locks.crt']);
    });
  });

  test('fails when its key is missing or another one, or when a certificate has expired', async () => {
    await withPatient(async (patient) => {
      const config = patient.config(encrypted);
      const folder = `${patient.directory}/tls`;
      await makeOwn(patient);
      expect(said(await patient.look({ config, ...at(madeAt + 500 * dayMs) }), 'certificates')[1]).toMatch(
        /^fail server\.crt, .* ended on /,
      );
      await writeFile(`${folder}/server.key`, makeKey());
      expect(said(await patient.look({ config }), 'certificates').slice(1)).toEqual([
        expect.stringMatching(/^fail the key .*server\.key does not belong to the certificate .*server\.crt/),
        expect.stringMatching(/^fail the key .*server\.key does not belong to the certificate .*locks\.crt/),
      ]);
      await rm(`${folder}/ca.key`);
      expect(said(await patient.look({ config }), 'certificates')[0]).toBe(`fail the key ${folder}/ca.key for TLS cannot be read (ENOENT)`);
    });
  });

  test('is reported when it was made before the machine had its names', async () => {
    await withPatient(async (patient) => {
      await makeOwn(patient, ['localhost']);
      const config = { ...patient.config(encrypted), tlsNames: ['doors.example.org'] };
      const found = said(await patient.look({ config }), 'certificates');
      for (const file of ['server.crt', 'locks.crt']) {
        expect(found).toContainEqual(expect.stringMatching(new RegExp(`^warn ${file} is not for doors.example.org, .*${hostname()}`, 'i')));
      }
    });
  });
});

describe("somebody else's certificate", () => {
  test.each([
    ['one of this machine', [hostname()], {}, 'ok it is for this machine: '],
    [
      'one that leads here',
      ['doors.example.org'],
      { 'doors.example.org': certificateNames([], false).filter(isIP) },
      'ok it is for doors.example.org, which',
    ],
    [
      'one that leads elsewhere',
      ['doors.example.org'],
      { 'doors.example.org': ['192.0.2.7'] },
      'warn it is for doors.example.org, and none',
    ],
    ['one that nobody knows', ['doors.example.org', '192.0.2.7'], {}, 'warn it is for doors.example.org, 192.0.2.7, and none'],
    [
      'this machine from within alone',
      ['localhost', '127.0.0.1'],
      { localhost: ['127.0.0.1'] },
      'warn it is for localhost, 127.0.0.1, and none',
    ],
    ['nobody', [], {}, 'fail the certificate names nobody'],
  ])('for the name of %s', async (_, names, known: Readonly<Record<string, readonly string[]>>, sentence) => {
    await withPatient(async (patient) => {
      const { config } = await given(patient, 100, names);
      const found = said(await patient.look({ config, addressesOf: async (name) => known[name] ?? [] }), 'certificates');
      expect(found[1]).toMatch(new RegExp(`^${sentence}`));
    });
  });

  test.each([
    [100, 0, /^ok the certificate, .* fits its key and is valid until /],
    [20, 0, /^warn the certificate, .* is valid until /],
    [20, 21, /^fail the certificate, .* ended on /],
    [20, -2, /^fail the certificate, .* begins on /],
  ])('for %d days, seen after %d', async (days, seenAfter, sentence) => {
    await withPatient(async (patient) => {
      const { config } = await given(patient, days);
      const findings = await patient.look({ config, ...at(madeAt + seenAfter * dayMs) });
      expect(said(findings, 'certificates')[0]).toMatch(sentence);
    });
  });

  test('with a key that is not its own', async () => {
    await withPatient(async (patient) => {
      const { config, key } = await given(patient, 100);
      await writeFile(key, makeKey());
      expect(said(await patient.look({ config }), 'certificates')).toEqual([expect.stringMatching(/^fail the key .* does not belong to/)]);
    });
  });

  test('with a key for everybody, or none that the daemon could read', async () => {
    await withPatient(async (patient) => {
      const { config, key } = await given(patient, 100);
      await chmod(key, 0o644);
      expect(said(await patient.look({ config }), 'certificates').at(-1)).toBe(`fail the key ${key} may be read by everybody`);
      if (process.getuid?.() !== 0) return;
      await chmod(key, 0o600);
      await chown(patient.directory, 12_345, 12_345);
      expect(said(await patient.look({ config }), 'certificates').at(-1)).toBe(`fail the daemon's user cannot read the key ${key}`);
    });
  });

  test('that systemd has not handed over', async () => {
    await withPatient(async (patient) => {
      const { config, certificate } = await given(patient, 100);
      const key = '/run/credentials/latchd-nobody.service/latchd-nobody.key';
      const [found] = said(await patient.look({ config: { ...config, tls: { certificate, key } } }), 'certificates');
      const isRoot = process.getuid?.() === 0;
      expect(found).toMatch(
        isRoot ? /^fail the key \/etc\/credstore\/latchd-nobody\.key .* cannot be read/ : /^warn .* for the daemon alone$/,
      );
    });
  });
});
