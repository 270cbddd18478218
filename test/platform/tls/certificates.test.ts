// latchd's own certificate authority and what it issues, with the files on a real disk and a settable clock.
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Log } from '../../../src/domain/part.ts';
import { machineNames } from '../../../src/platform/mdns/machine-names.ts';
import { createCertificateFiles } from '../../../src/platform/tls/certificate-files.ts';
import { type Certificates, createCertificates, type TlsIdentity } from '../../../src/platform/tls/certificates.ts';
import type { Authority } from '../../../src/platform/tls/local-ca.ts';
import { createOwnCertificates } from '../../../src/platform/tls/local-certificates.ts';
import { shareAuthority } from '../../../src/platform/tls/shared-authority.ts';
import { makeAuthority, makeKey, makeServerCertificate } from '../../../src/platform/tls/x509.ts';
import { createSettableClock, type SettableClock } from '../../support/settable-clock.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const now = Date.UTC(2026, 10, 21, 9);

interface Bench {
  readonly dataDir: string;
  readonly folder: string;
  readonly clock: SettableClock;
  readonly lines: readonly { level: string; code?: string; message: string; [field: string]: unknown }[];
  /** Names of the machine; a test changes them. */
  names: string[];
  readonly log: Log;
  own(): Certificates;
  /** Of a node that shares its authority with others. */
  shared(): Certificates;
  files(certificate: string, key: string): Certificates;
}

const benches: string[] = [];
const running: Certificates[] = [];

async function bench(): Promise<Bench> {
  const dataDir = await mkdtemp(join(tmpdir(), 'latchd-tls-'));
  benches.push(dataDir);
  const clock = createSettableClock(now);
  const lines: Bench['lines'][number][] = [];
  const to = (level: string) => (fields: object, message: string) => void lines.push({ level, message, ...fields });
  const log: Log = { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error'), fatal: to('fatal') };
  const part = (source: Parameters<typeof createCertificates>[0]['source']) => {
    const certificates = createCertificates({ source, clock, log });
    running.push(certificates);
    return certificates;
  };
  const self: Bench = {
    ...{ dataDir, folder: join(dataDir, 'tls'), clock, lines },
    names: ['gateway.local', 'localhost', '127.0.0.1', '::1', 'fd00::1234'],
    log,
    own: () => part(createOwnCertificates({ folder: join(dataDir, 'tls'), names: () => self.names, clock, log })),
    shared: () => part(createOwnCertificates({ folder: join(dataDir, 'tls'), names: () => self.names, isShared: true, clock, log })),
    files: (certificate, key) => part(createCertificateFiles({ certificate, key, clock, log })),
  };
  return self;
}

afterEach(async () => {
  for (const certificates of running.splice(0)) await certificates.stop();
  for (const folder of benches.splice(0)) await rm(folder, { recursive: true });
});

/** Waits for the work that a timer has started: it reads and writes files. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether a client that trusts the authority accepts the server under that name; the reason why not otherwise. */
async function handshake(identity: TlsIdentity, ca: string, servername: string): Promise<string> {
  const server = createServer(identity, (socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as { port: number };
  const verdict = await new Promise<string>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: address.port, ca, servername }, () => resolve('accepted'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.once('close', () => server.close());
    socket.resume();
  });
  return verdict;
}

describe('the authority of several nodes', () => {
  function storeOf(stored: Authority | undefined) {
    const store = {
      stored,
      find: async () => store.stored,
      async store(made: Authority) {
        store.stored ??= made;
        return store.stored;
      },
    };
    return store;
  }

  test('is that of the first one: the others get a copy, and show certificates of it', async () => {
    const [one, two, three] = [await bench(), await bench(), await bench()];
    const store = storeOf(undefined);
    const made = await shareAuthority(store, one.folder, one);
    expect(await shareAuthority(store, two.folder, two)).toEqual(made);
    expect(await readFile(`${two.folder}/ca.crt`, 'utf8')).toBe(made.certificate);
    expect(await readFile(`${two.folder}/ca.key`, 'utf8')).toBe(made.key);
    // A node that shows certificates of somebody else's needs no copy.
    expect(await shareAuthority(store, undefined, three)).toEqual(made);
    const certificates = two.shared();
    await certificates.start();
    expect(await handshake(certificates.current('https'), made.certificate, 'gateway.local')).toBe('accepted');
  });

  test('a node that has one already gives it to the others', async () => {
    const one = await bench();
    await one.own().start();
    const certificate = await readFile(`${one.folder}/ca.crt`, 'utf8');
    expect(await shareAuthority(storeOf(undefined), one.folder, one)).toMatchObject({ certificate });
  });

  test('a node that has another one is refused with what to do, and keeps its own', async () => {
    const [one, two] = [await bench(), await bench()];
    const store = storeOf(undefined);
    await shareAuthority(store, one.folder, one);
    await two.own().start();
    const before = await readFile(`${two.folder}/ca.crt`, 'utf8');
    await expect(shareAuthority(store, two.folder, two)).rejects.toThrow(`move ${two.folder} away`);
    expect(await readFile(`${two.folder}/ca.crt`, 'utf8')).toBe(before);
  });

  test('until a node knows it, its listeners show certificates of one that nobody trusts, and nothing is stored', async () => {
    const node = await bench();
    const certificates = node.shared();
    await certificates.start();
    await expect(readFile(`${node.folder}/ca.crt`)).rejects.toThrow('ENOENT');
    const made = await shareAuthority(storeOf(undefined), node.folder, node);
    expect(await handshake(certificates.current('https'), made.certificate, 'gateway.local')).not.toBe('accepted');
    await certificates.reload();
    expect(await handshake(certificates.current('https'), made.certificate, 'gateway.local')).toBe('accepted');
    expect(await handshake(certificates.current('mqtts'), made.certificate, 'gateway.local')).toBe('accepted');
  });
});

describe("latchd's own authority", () => {
  test('is made by the first start, and a client that trusts it accepts the gateway under every name', async () => {
    const { own, folder } = await bench();
    const certificates = own();
    await certificates.start();
    const ca = await readFile(`${folder}/ca.crt`, 'utf8');
    for (const kind of ['https', 'mqtts'] as const) {
      expect(await handshake(certificates.current(kind), ca, 'gateway.local')).toBe('accepted');
      expect(await handshake(certificates.current(kind), ca, 'somewhere.else')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    }
    const server = new X509Certificate(certificates.current('https').cert);
    for (const address of ['127.0.0.1', '::1', 'fd00::1234']) expect(server.checkIP(address)).toBe(address);
    const stranger = await makeAuthority({ key: makeKey(), name: 'a stranger', from: now - dayMs, to: now + dayMs });
    expect(await handshake(certificates.current('https'), stranger, 'gateway.local')).not.toBe('accepted');
  });

  test('has files for their owner alone, and leaves nothing half made behind', async () => {
    const { own, folder, dataDir } = await bench();
    await own().start();
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    expect(await modeOf(folder)).toBe(0o700);
    expect(await modeOf(`${folder}/ca.key`)).toBe(0o600);
    expect(await modeOf(`${folder}/server.key`)).toBe(0o600);
    expect((await readdir(folder)).sort()).toEqual(['ca.crt', 'ca.key', 'locks.crt', 'server.crt', 'server.key']);
    expect(await readdir(dataDir)).toEqual(['tls']);
  });

  test('lives twenty years and signs no other authority; people get 397 days at most, locks all of its life from 2020 on', async () => {
    const { own, folder } = await bench();
    const certificates = own();
    await certificates.start();
    const spanOf = (pem: string) => {
      const { validFrom, validTo } = new X509Certificate(pem);
      return { from: Date.parse(validFrom), to: Date.parse(validTo) };
    };
    const ca = spanOf(await readFile(`${folder}/ca.crt`, 'utf8'));
    expect(ca.from).toBe(Date.UTC(2020, 0, 1));
    expect(ca.to - now).toBeGreaterThanOrEqual(20 * 365 * dayMs);
    const server = spanOf(certificates.current('https').cert);
    expect(server.to - server.from).toBe(397 * dayMs);
    expect(server.from).toBeLessThan(now);
    expect(spanOf(certificates.current('mqtts').cert)).toEqual(ca);
  });

  const openssl = spawnSync('openssl', ['version']).status === 0;
  (openssl ? test : test.skip)('OpenSSL finds nothing against them under RFC 5280, a lock whose clock says 2020 included', async () => {
    const { own, folder } = await bench();
    await own().start();
    const verify = (file: string, at: number, ...more: string[]) =>
      spawnSync(
        'openssl',
        ['verify', '-x509_strict', '-purpose', 'sslserver', '-attime', String(at / 1000), '-CAfile', `${folder}/ca.crt`, ...more, file],
        { encoding: 'utf8' },
      );
    for (const file of [`${folder}/server.crt`, `${folder}/locks.crt`]) {
      const { stdout, stderr } = verify(file, now, '-verify_hostname', 'gateway.local', '-verify_ip', 'fd00::1234');
      expect(`${stdout}${stderr}`).toBe(`${file}: OK\n`);
    }
    expect(verify(`${folder}/locks.crt`, Date.UTC(2020, 0, 2)).stdout).toContain('OK');
    expect(verify(`${folder}/locks.crt`, Date.UTC(2040, 0, 2)).stdout).toContain('OK');
    expect(verify(`${folder}/server.crt`, Date.UTC(2020, 0, 2)).stderr).toContain('not yet valid');
  });

  test('is not changed by a restart, which logs the fingerprint that clients show', async () => {
    const { own, folder, lines } = await bench();
    const first = own();
    await first.start();
    const before = [await readFile(`${folder}/ca.crt`, 'utf8'), first.current('https'), first.current('mqtts')];
    const second = own();
    await second.start();
    expect([await readFile(`${folder}/ca.crt`, 'utf8'), second.current('https'), second.current('mqtts')]).toEqual(before);
    const said = lines.filter(({ code }) => code === 'tls').map(({ fingerprint }) => fingerprint);
    const { fingerprint256 } = new X509Certificate(await readFile(`${folder}/ca.crt`));
    expect(said).toEqual([fingerprint256, fingerprint256]);
  });

  test('is made in an empty folder, and after a power cut left half a folder', async () => {
    const { own, folder } = await bench();
    await mkdir(folder);
    await mkdir(`${folder}.new`);
    await writeFile(`${folder}.new/ca.key`, '-----BEGIN');
    await own().start();
    expect(new X509Certificate(await readFile(`${folder}/ca.crt`)).ca).toBe(true);
    await expect(stat(`${folder}.new`)).rejects.toThrow('ENOENT');
  });

  test.each([
    ['ca.crt', 'is missing', undefined],
    ['ca.key', 'is missing', undefined],
    ['ca.crt', 'is damaged', ''],
    ['ca.key', 'is damaged', '-----BEGIN PRIVATE KEY-----\nMIGH'],
    ['ca.key', 'does not belong to', makeKey()],
  ])('%s %s ...: the start stops with the name of the file, and no other authority is made', async (name, what, text) => {
    const { own, folder } = await bench();
    await own().start();
    const file = `${folder}/${name}`;
    const kept = await readFile(`${folder}/${name === 'ca.crt' ? 'ca.key' : 'ca.crt'}`, 'utf8');
    if (text === undefined) await rm(file);
    else await writeFile(file, text);
    await expect(own().start()).rejects.toThrow(`${file} ${what}`);
    await expect(own().start()).rejects.toThrow('put it back from a backup');
    expect(await readFile(`${folder}/${name === 'ca.crt' ? 'ca.key' : 'ca.crt'}`, 'utf8')).toBe(kept);
  });

  test.each(['server.crt', 'locks.crt', 'server.key'])('makes a missing or damaged %s again', async (name) => {
    const { own, folder } = await bench();
    await own().start();
    const ca = await readFile(`${folder}/ca.crt`, 'utf8');
    for (const spoil of [() => rm(`${folder}/${name}`), () => writeFile(`${folder}/${name}`, 'spoilt')]) {
      await spoil();
      const certificates = own();
      await certificates.start();
      expect(await handshake(certificates.current('https'), ca, 'gateway.local')).toBe('accepted');
      expect(await handshake(certificates.current('mqtts'), ca, 'gateway.local')).toBe('accepted');
      expect(await readFile(`${folder}/server.key`, 'utf8')).toBe(certificates.current('https').key);
    }
  });

  test('serves from memory when the disk accepts no writes, and makes the certificate again at the next start', async () => {
    const { own, folder, lines } = await bench();
    await own().start();
    await rm(`${folder}/server.crt`);
    // No file can be renamed to the name of a folder that is not empty.
    await mkdir(`${folder}/server.crt/kept`, { recursive: true });
    const certificates = own();
    await certificates.start();
    expect(await handshake(certificates.current('https'), await readFile(`${folder}/ca.crt`, 'utf8'), 'gateway.local')).toBe('accepted');
    expect(lines.filter(({ level }) => level === 'error').map(({ code }) => code)).toEqual(['tls-not-kept']);
  });

  test('issues the certificate again sixty days before its end, without a restart', async () => {
    const { own, clock, folder } = await bench();
    const certificates = own();
    let changes = 0;
    certificates.onChange(() => {
      changes++;
    });
    await certificates.start();
    const [first, forLocks] = [certificates.current('https').cert, certificates.current('mqtts')];
    clock.block(335 * dayMs);
    await clock.advance(minuteMs);
    expect(changes).toBe(0);
    clock.block(1 * dayMs);
    await clock.advance(minuteMs);
    await until(() => changes === 1);
    const second = certificates.current('https').cert;
    expect(second).not.toBe(first);
    expect(await readFile(`${folder}/server.crt`, 'utf8')).toBe(second);
    expect(Date.parse(new X509Certificate(second).validTo)).toBeGreaterThan(clock.now() + 395 * dayMs);
    expect(certificates.current('mqtts')).toEqual(forLocks);
  });

  test('puts a new address of the machine into a new certificate within a minute, and ignores one that went away', async () => {
    const self = await bench();
    const certificates = self.own();
    let changes = 0;
    certificates.onChange(() => {
      changes++;
    });
    await certificates.start();
    self.names = self.names.filter((name) => name !== 'fd00::1234');
    await self.clock.advance(2 * minuteMs);
    expect(changes).toBe(0);
    self.names = [...self.names, '192.168.7.9'];
    await self.clock.advance(minuteMs);
    await until(() => changes === 1);
    for (const kind of ['https', 'mqtts'] as const)
      expect(new X509Certificate(certificates.current(kind).cert).checkIP('192.168.7.9')).toBe('192.168.7.9');
    await self.clock.advance(2 * minuteMs);
    await certificates.stop();
    expect(changes).toBe(1);
  });

  test('leaves locks their certificate, and gives people a valid one each time, when the clock jumps ten years forwards and back (Fault T19)', async () => {
    const { own, clock } = await bench();
    const certificates = own();
    let changes = 0;
    certificates.onChange(() => {
      changes++;
    });
    await certificates.start();
    const forLocks = certificates.current('mqtts').cert;
    for (const [at, expected] of [
      [now + 3_652 * dayMs, 1],
      [now, 2],
    ] as const) {
      clock.setNow(at);
      await clock.advance(minuteMs);
      await until(() => changes === expected);
      const { validFrom, validTo } = new X509Certificate(certificates.current('https').cert);
      expect(Date.parse(validFrom)).toBeLessThan(clock.now());
      expect(Date.parse(validTo)).toBeGreaterThan(clock.now());
    }
    expect(certificates.current('mqtts').cert).toBe(forLocks);
  });

  test('makes certificates that are valid today at a first start with a clock at 1970', async () => {
    const { own, clock } = await bench();
    clock.setNow(0);
    const certificates = own();
    await certificates.start();
    const { validFrom, validTo } = new X509Certificate(certificates.current('https').cert);
    expect(Date.parse(validFrom)).toBeGreaterThan(Date.UTC(2025, 11, 1));
    expect(Date.parse(validTo)).toBeGreaterThan(Date.UTC(2027, 0, 1));
    let changes = 0;
    certificates.onChange(() => {
      changes++;
    });
    await clock.advance(minuteMs);
    await certificates.stop();
    expect(changes).toBe(0);
  });

  test('logs what a reload cannot use, and uses the old certificate', async () => {
    const { own, folder, lines } = await bench();
    const certificates = own();
    await certificates.start();
    const before = certificates.current('mqtts');
    await rm(`${folder}/ca.key`);
    await certificates.reload();
    expect(certificates.current('mqtts')).toEqual(before);
    expect(lines.filter(({ level }) => level === 'error').map(({ code }) => code)).toEqual(['tls-refused']);
  });

  test('leaves no timer when it stops', async () => {
    const { own, clock } = await bench();
    const certificates = own();
    await certificates.start();
    expect(clock.timers()).toBe(1);
    await certificates.stop();
    await certificates.stop();
    expect(clock.timers()).toBe(0);
  });

  test('covers the names of this machine, which can all be put into a certificate', async () => {
    const names = machineNames();
    expect(names).toEqual(expect.arrayContaining(['localhost', '127.0.0.1']));
    const key = makeKey();
    const authority = { key, certificate: await makeAuthority({ key, name: 'a test', from: now, to: now + dayMs }) };
    const certificate = new X509Certificate(await makeServerCertificate({ key, authority, names, from: now, to: now + dayMs }));
    expect(certificate.subjectAltName?.split(', ')).toHaveLength(names.length);
  });
});

describe('certificate and key from files', () => {
  const key = makeKey();
  const others = makeKey();

  async function pair(folder: string, validity: { from: number; to: number } = { from: now - dayMs, to: now + 90 * dayMs }, ownKey = key) {
    const authority = { key, certificate: await makeAuthority({ key, name: 'a company', from: now - dayMs, to: now + 900 * dayMs }) };
    const certificate = await makeServerCertificate({ key: ownKey, authority, names: ['doors.example'], ...validity });
    await writeFile(`${folder}/tls.crt`, `${certificate}\n${authority.certificate}`);
    await writeFile(`${folder}/tls.key`, ownKey);
    return { ca: authority.certificate, paths: [`${folder}/tls.crt`, `${folder}/tls.key`] as const };
  }

  test('are shown by both listeners, chain included', async () => {
    const { dataDir, files } = await bench();
    const { ca, paths } = await pair(dataDir);
    const certificates = files(...paths);
    await certificates.start();
    for (const kind of ['https', 'mqtts'] as const) {
      expect(await handshake(certificates.current(kind), ca, 'doors.example')).toBe('accepted');
      expect(certificates.current(kind).cert.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    }
  });

  test('stop the start with one sentence that names the file when one is missing, damaged, locked or of another key', async () => {
    const { dataDir, files } = await bench();
    const { paths } = await pair(dataDir);
    const said = async (...given: [string, string]) =>
      files(...given)
        .start()
        .then(
          () => 'nothing',
          (error: Error) => error.message,
        );
    expect(await said(`${dataDir}/none.crt`, paths[1])).toBe(`the certificate ${dataDir}/none.crt for TLS cannot be read (ENOENT)`);
    expect(await said(paths[0], `${dataDir}/none.key`)).toBe(`the key ${dataDir}/none.key for TLS cannot be read (ENOENT)`);
    expect(await said(paths[1], paths[1])).toMatch(`${paths[1]} holds no certificate in PEM form`);
    expect(await said(paths[0], paths[0])).toMatch(`${paths[0]} holds no private key in PEM form`);
    await writeFile(`${dataDir}/other.key`, others);
    expect(await said(paths[0], `${dataDir}/other.key`)).toMatch(
      `the key ${dataDir}/other.key does not belong to the certificate ${paths[0]}`,
    );
    await writeFile(`${dataDir}/locked.key`, '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n');
    expect(await said(paths[0], `${dataDir}/locked.key`)).toMatch('has a passphrase, which latchd cannot ask for');
    await writeFile(`${dataDir}/cut.crt`, `${await readFile(paths[0], 'utf8')}\n-----BEGIN CERTIFICATE-----\nMIIB\n`);
    expect(await said(`${dataDir}/cut.crt`, paths[1])).toMatch(`TLS refuses ${dataDir}/cut.crt`);
  });

  test('are replaced at a reload by a good pair, which the listeners get; a bad one is logged, and the old one stays', async () => {
    const { dataDir, files, lines } = await bench();
    const { paths } = await pair(dataDir);
    const certificates = files(...paths);
    let changes = 0;
    certificates.onChange(() => {
      changes++;
    });
    await certificates.start();
    await pair(dataDir, { from: now - dayMs, to: now + 200 * dayMs }, others);
    await certificates.reload();
    expect(changes).toBe(1);
    expect(certificates.current('https').key).toBe(others);
    await writeFile(paths[1], key);
    await certificates.reload();
    await pair(dataDir, { from: now - 9 * dayMs, to: now - dayMs });
    await certificates.reload();
    expect(certificates.current('https').key).toBe(others);
    expect(changes).toBe(1);
    expect(lines.filter(({ code }) => code === 'tls-refused').map(({ err }) => (err as Error).message)).toEqual([
      expect.stringContaining('does not belong to'),
      expect.stringContaining('which is not now'),
    ]);
  });

  test('are used although expired at the start, with an error in the log, because the clock may be wrong (Fault T19)', async () => {
    const { dataDir, files, lines } = await bench();
    const { paths } = await pair(dataDir, { from: now - 9 * dayMs, to: now - dayMs });
    await files(...paths).start();
    expect(lines.filter(({ level }) => level === 'error').map(({ code }) => code)).toEqual(['tls-expired']);
  });

  test('are asked for in the log once a day, from thirty days before the end', async () => {
    const { dataDir, files, clock, lines } = await bench();
    const { paths } = await pair(dataDir);
    await files(...paths).start();
    const warnings = () => lines.filter(({ code }) => code === 'tls-ends').map(({ days }) => days);
    clock.block(60 * dayMs - minuteMs);
    await clock.advance(minuteMs);
    expect(warnings()).toEqual([]);
    await clock.advance(5 * minuteMs);
    expect(warnings()).toEqual([29]);
    clock.block(dayMs);
    await clock.advance(minuteMs);
    expect(warnings()).toEqual([29, 28]);
  });
});
