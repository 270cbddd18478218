// The offline check of a data directory: silent on a good one, and each check finds a planted fault.
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DeviceId } from '../../../../src/domain/locks/lock.ts';
import { repairHintFor } from '../../../../src/stores/files/verify/repair-hints.ts';
import { verify } from '../../../../src/stores/files/verify/verify.ts';
import { sampleTtlockLogin } from '../../../support/sample-ttlock.ts';
import { manualClock, startedStore, withDirectory } from '../support/directory.ts';
import {
  deviceId,
  everything,
  lockId,
  sampleEntry,
  sampleEvent,
  sampleEvents,
  sampleLockBehind,
  samplePerson,
  sampleRemovedLock,
  sampleRevocation,
  sampleSchedule,
  sampleWebhook,
} from '../support/samples.ts';

const hubId = '0000000000a1' as DeviceId;
const sealed = 'records/2026-11-21-1';
const open = 'records/2026-11-22-301.jsonl';

let good: string;
beforeAll(async () => {
  good = join(await mkdtemp(join(tmpdir(), 'latchd-verify-')), 'data');
  await fill(good);
});
afterAll(() => rm(join(good, '..'), { recursive: true, force: true }));

/** Two locks with cards, a sealed day of 300 records, an open one of 30, a quarantined message. */
async function fill(directory: string): Promise<void> {
  const clock = manualClock();
  const { store } = await startedStore(directory, { clock });
  await store.ports.hubs.add({ deviceId: hubId, name: 'Hub', createdAt: 1, keyHash: 'cd'.repeat(32) });
  for (const number of [1, 2]) {
    await store.ports.counters.next('lockId');
    await store.ports.counters.next('cardId');
    // Its operator is account 2, which was removed.
    await store.ports.locks.add(sampleLockBehind(number, number === 2 ? hubId : null));
    await store.ports.entries.update(lockId(number), () => ({ put: [sampleEntry(number, number)] }));
    await store.ports.records.append(lockId(number), 'e', [...sampleEvents(1, 149), sampleEvent(150, { command: 7 })]);
  }
  await store.ports.counters.groupId('East');
  await store.ports.counters.next('webhookId');
  await store.ports.webhooks.add(sampleWebhook(1));
  for (const kind of ['personId', 'credentialId', 'credentialId', 'grantId', 'scheduleId'] as const) await store.ports.counters.next(kind);
  await store.ports.people.add(samplePerson(1));
  await store.ports.schedules.put(sampleSchedule(1));
  await store.ports.counters.next('revocationId');
  await store.ports.revocations.put(sampleRevocation(1));
  await store.ports.counters.next('ttlockLoginId');
  await store.ports.ttlockLogins.put(sampleTtlockLogin(1));
  store.ports.statuses.patch(lockId(1), { batteryPercent: 9 });
  await store.ports.quarantine.keep(deviceId(1), 'not JSON', '{');
  clock.advance(86_400_000);
  await store.ports.records.append(lockId(1), 'e', [
    sampleEvent(151, { command: 41 }),
    sampleEvent(152, { command: 42 }),
    ...sampleEvents(153, 180),
  ]);
  await store.maintenance.sealDays();
  await store.clockTrust.acceptClock();
  await store.stop();
}

/** A copy of the good one for each. */
async function withData(run: (directory: string) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    await cp(good, directory, { recursive: true });
    await run(directory);
  });
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(path, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(path, after);
}
/** With its newline; built here from the description of the format, so that it does not share a mistake with the program. */
function withChecksum(body: string): string {
  return `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}\n`;
}
/** Makes a file unreadable though it exists. */
async function unreadable(path: string): Promise<void> {
  await rm(path);
  await mkdir(path, { mode: 0o700 });
}
/** Changes the n-th line, counted from 1, and gives it a correct checksum again. */
const editLine = (n: number, change: (body: string) => string) => (text: string) => {
  const lines = text.split('\n');
  const body = (lines[n - 1] as string).slice(0, -18);
  lines[n - 1] = withChecksum(change(body)).slice(0, -1);
  return lines.join('\n');
};

/** A row of people.jsonl under another key. */
function samePersonAgain(externalId: string): string {
  return withChecksum(`{"rows":[["person 9",${JSON.stringify(samplePerson(1, { externalId, credentials: [], grants: [] }))}]]`);
}

test('verify finds nothing wrong in a good directory', () =>
  withData(async (directory) => {
    expect(await verify(directory)).toEqual({ findings: [], remarks: [], locks: 2, records: 330 });
  }));

test('verify remarks foreign files wherever they are, but not backups, locks of processes and files that were set aside', () =>
  withData(async (directory) => {
    await mkdir(`${directory}/mine`);
    await mkdir(`${directory}/backups`);
    await mkdir(`${directory}/nightly`);
    for (const name of [
      'notes.txt',
      'locks/evil.js',
      'locks/1.json.previous',
      'latchd-20261121T023000Z.tar.gz',
      'nightly/latchd-20261121T023000Z.tar.gz',
    ])
      await writeFile(`${directory}/${name}`, 'x', { mode: 0o600 });
    const { remarks } = await verify(directory);
    expect(remarks).toEqual(['locks/evil.js', 'mine', 'notes.txt'].map((file) => ({ file, problem: "is not latchd's, and in no backup" })));
  }));

test('verify refuses a directory in use', () =>
  withData(async (directory) => {
    const { store } = await startedStore(directory);
    await expect(verify(directory)).rejects.toThrow(`latchd is running on ${directory} as process ${process.pid}`);
    await store.stop();
  }));

type Plant = (directory: string) => Promise<unknown>;
const faults: readonly [file: string, problem: string | RegExp, plant: Plant][] = [
  ['accounts.jsonl', 'is missing', (d) => rm(`${d}/accounts.jsonl`)],
  ['accounts.jsonl', 'is damaged: it has no header', (d) => writeFile(`${d}/accounts.jsonl`, '')],
  [
    'accounts.jsonl',
    'has no gateway administrator',
    (d) =>
      edit(
        `${d}/accounts.jsonl`,
        editLine(2, (t) => t.replace('true', 'false')),
      ),
  ],
  [
    'accounts.jsonl',
    'has the tokenId 1 twice',
    (d) => edit(`${d}/accounts.jsonl`, (t) => `${t}${editLine(3, (body) => body.replace('token 1', 'token 2'))(t).split('\n')[2]}\n`),
  ],
  [
    'accounts.jsonl',
    'has the name admin twice',
    (d) => edit(`${d}/accounts.jsonl`, (t) => `${t}${editLine(2, (body) => body.replace('account 1', 'account 2'))(t).split('\n')[1]}\n`),
  ],
  [
    'accounts.jsonl',
    'has the accountId 1 twice',
    (d) => edit(`${d}/accounts.jsonl`, (t) => `${t}${editLine(2, (body) => body.replace('account 1', 'account 2'))(t).split('\n')[1]}\n`),
  ],
  ['accounts.jsonl', 'is damaged: line 2 is not as it was written', (d) => edit(`${d}/accounts.jsonl`, (t) => t.replace('admin', 'adnim'))],
  [
    'accounts.jsonl',
    /^was written by a newer latchd \(schema 99, this one knows \d+\): start that version$/,
    (d) =>
      edit(
        `${d}/accounts.jsonl`,
        editLine(1, (t) => t.replace(/"schemaVersion":\d+/, '"schemaVersion":99')),
      ),
  ],
  ['accounts.jsonl', 'cannot be read (EISDIR)', (d) => unreadable(`${d}/accounts.jsonl`)],
  ['counters.json', 'is damaged: it is not JSON', (d) => edit(`${d}/counters.json`, (t) => t.slice(0, -3))],
  ['counters.json', 'is damaged: it has no schemaVersion', (d) => edit(`${d}/counters.json`, (t) => t.replace('schema', ''))],
  [
    'ttlock-logins.jsonl',
    'has the login 1 under the key login 9',
    (d) =>
      edit(
        `${d}/ttlock-logins.jsonl`,
        editLine(2, (body) => body.replace('login 1', 'login 9')),
      ),
  ],
  [
    'ttlock-logins.jsonl',
    /^has the clientId 0+1 twice$/,
    (d) => edit(`${d}/ttlock-logins.jsonl`, (t) => `${t}${editLine(2, (body) => body.replace('login 1', 'login 2'))(t).split('\n')[1]}\n`),
  ],
  [
    'counters.json',
    'has the floor 0 for ttlockLoginId, but 1 is in use',
    (d) => edit(`${d}/counters.json`, (t) => t.replace('"ttlockLoginId": 1', '"ttlockLoginId": 0')),
  ],
  ['command.key', 'cannot be read (EISDIR)', (d) => unreadable(`${d}/command.key`)],
  ['quarantine.jsonl', 'cannot be read (EISDIR)', (d) => unreadable(`${d}/quarantine.jsonl`)],
  ['quarantine.previous.jsonl', 'line 1 is not as it was written', (d) => writeFile(`${d}/quarantine.previous.jsonl`, 'x\n')],
  [open, 'cannot be read (EISDIR)', (d) => unreadable(`${d}/${open}`)],
  [`${sealed}.index`, 'cannot be used: EISDIR', (d) => unreadable(`${d}/${sealed}.index`)],
  ['counters.json', 'is missing', (d) => rm(`${d}/counters.json`)],
  [
    'counters.json',
    'has the floor 1 for lockId, but 2 is in use',
    (d) => edit(`${d}/counters.json`, (t) => t.replace('"lockId": 2', '"lockId": 1')),
  ],
  [
    'counters.json',
    'has the floor 0 for cardId, but 2 is in use',
    (d) => edit(`${d}/counters.json`, (t) => t.replace('"cardId": 2', '"cardId": 0')),
  ],
  [
    'counters.json',
    'has the floor 0 for accountId, but 1 is in use',
    (d) => edit(`${d}/counters.json`, (t) => t.replace('"accountId": 1', '"accountId": 0')),
  ],
  [
    'counters.json',
    'has the floor 0 for tokenId, but 1 is in use',
    (d) => edit(`${d}/counters.json`, (t) => t.replace('"tokenId": 1', '"tokenId": 0')),
  ],
  [
    'counters.json',
    'has the floor 329 for recordId, but 330 is in use',
    (d) => edit(`${d}/counters.json`, (t) => t.replace('"recordId": 330', '"recordId": 329')),
  ],
  [
    'counters.json',
    'has the floor 0 for groupId, but 1 is in use',
    (d) => edit(`${d}/counters.json`, (t) => t.replace('"groupId": 1', '"groupId": 0')),
  ],
  [
    'counters.json',
    'has the group East twice',
    (d) =>
      edit(`${d}/counters.json`, (t) => JSON.stringify({ ...JSON.parse(t), groups: [1, 2].map((groupId) => ({ groupId, name: 'East' })) })),
  ],
  [
    'counters.json',
    'has the groupId 1 twice',
    (d) =>
      edit(`${d}/counters.json`, (t) =>
        JSON.stringify({ ...JSON.parse(t), groups: ['East', 'West'].map((name) => ({ groupId: 1, name })) }),
      ),
  ],
  ['status.json', /is damaged/, (d) => edit(`${d}/status.json`, (t) => t.replace('9', '900'))],
  ['clock.json', /is damaged/, (d) => writeFile(`${d}/clock.json`, '{}')],
  ['command.key', 'is missing', (d) => rm(`${d}/command.key`)],
  ['command.key', 'is not 32 bytes long', (d) => writeFile(`${d}/command.key`, 'short')],
  ['locks/2.json', /is damaged: lock.keyHash/, (d) => edit(`${d}/locks/2.json`, (t) => t.replace('"keyHash": "a', '"keyHash": "'))],
  ['locks/2.json', 'holds lock 1', (d) => copyFile(`${d}/locks/1.json`, `${d}/locks/2.json`)],
  [
    'locks/2.json',
    'names the administrator 8, who is not there',
    (d) => edit(`${d}/locks/2.json`, (t) => t.replace('"administrator": 1', '"administrator": 8')),
  ],
  [
    'cards/2.jsonl',
    'holds the card 2 of lock 1',
    (d) =>
      edit(
        `${d}/cards/2.jsonl`,
        editLine(2, (t) => t.replace('"lockId":2', '"lockId":1')),
      ),
  ],
  [
    'cards',
    'has the cardId 1 twice',
    (d) =>
      edit(
        `${d}/cards/2.jsonl`,
        editLine(2, (t) => t.replace('"entryId":2', '"entryId":1')),
      ),
  ],
  [
    'cards/2.jsonl',
    'holds one number under the ids 2 and 9',
    (d) =>
      edit(
        `${d}/cards/2.jsonl`,
        editLine(2, (t) =>
          t.replace(/\["entry 2",(\{.*\})\]/, (row, entry: string) => `${row},["entry 9",${entry.replace('"entryId":2', '"entryId":9')}]`),
        ),
      ),
  ],
  [
    'cards/2.jsonl',
    'is damaged: line 2 is not as it was written',
    (d) => edit(`${d}/cards/2.jsonl`, (t) => t.replace('"entryId":2', '"entryId":1')),
  ],
  ['cards/2.jsonl', 'is missing', (d) => rm(`${d}/cards/2.jsonl`)],
  ['cards/3.jsonl', 'belongs to no lock', (d) => copyFile(`${d}/cards/2.jsonl`, `${d}/cards/3.jsonl`)],
  [
    'webhooks/1.json',
    /is damaged: progress.position/,
    (d) => edit(`${d}/webhooks/1.json`, (t) => t.replace('"position": 0', '"position": -1')),
  ],
  ['webhooks/2.json', 'holds webhook 1', (d) => copyFile(`${d}/webhooks/1.json`, `${d}/webhooks/2.json`)],
  ['webhooks/1.json', 'may be read by others than its owner (mode 644)', (d) => chmod(`${d}/webhooks/1.json`, 0o644)],
  ['audit', 'may be read by others than its owner (mode 755)', (d) => chmod(`${d}/audit`, 0o755)],
  [
    'counters.json',
    'has the floor 0 for webhookId, but 1 is in use',
    (d) => edit(`${d}/counters.json`, (t) => t.replace('"webhookId": 1', '"webhookId": 0')),
  ],
  ['people.jsonl', 'is damaged: line 2 is not as it was written', (d) => edit(`${d}/people.jsonl`, (t) => t.replace('HR-1', 'HR-2'))],
  ['people.jsonl', 'is missing', (d) => rm(`${d}/people.jsonl`)],
  [
    'people.jsonl',
    'has the person 2 under the key person 1',
    (d) =>
      edit(
        `${d}/people.jsonl`,
        editLine(2, (t) => t.replace('"personId":1', '"personId":2')),
      ),
  ],
  ['people.jsonl', 'has the personId 1 twice', (d) => edit(`${d}/people.jsonl`, (t) => t + samePersonAgain('HR-2'))],
  ['people.jsonl', 'has the externalId HR-1 twice', (d) => edit(`${d}/people.jsonl`, (t) => t + samePersonAgain('HR-1'))],
  ['schedules.json', /is damaged: schedules.0.name/, (d) => edit(`${d}/schedules.json`, (t) => t.replace('"Schedule 1"', '1'))],
  [
    'people.jsonl',
    'has the grant 1 with the schedule 1, which is not there',
    (d) => edit(`${d}/schedules.json`, (t) => t.replace('"scheduleId": 1', '"scheduleId": 2')),
  ],
  [
    'counters.json',
    'has the floor 0 for credentialId, but 2 is in use',
    (d) => edit(`${d}/counters.json`, (t) => t.replace('"credentialId": 2', '"credentialId": 0')),
  ],
  ['revocations.jsonl', 'is missing', (d) => rm(`${d}/revocations.jsonl`)],
  [
    'revocations.jsonl',
    'has the revocation 2 under the key revocation 1',
    (d) =>
      edit(
        `${d}/revocations.jsonl`,
        editLine(2, (t) => t.replace('"revocationId":1', '"revocationId":2')),
      ),
  ],
  [
    'counters.json',
    'has the floor 0 for revocationId, but 1 is in use',
    (d) => edit(`${d}/counters.json`, (t) => t.replace('"revocationId": 1', '"revocationId": 0')),
  ],
  ['hubs.json', /is damaged/, (d) => edit(`${d}/hubs.json`, (t) => t.replace('a1', 'A1'))],
  [
    'locks/2.json',
    'names the hub 0000000000a2, which is not there',
    (d) => edit(`${d}/locks/2.json`, (t) => t.replace('0000000000a1', '0000000000a2')),
  ],
  ['.', 'has two locks or hubs with the deviceId 000000000001', (d) => edit(`${d}/hubs.json`, (t) => t.replace('a1', '01'))],
  [
    '.',
    'has two locks or hubs with the deviceId 000000000001',
    (d) => edit(`${d}/locks/2.json`, (t) => t.replace('000000000002', '000000000001')),
  ],
  ['quarantine.jsonl', 'line 1 is not as it was written', (d) => edit(`${d}/quarantine.jsonl`, (t) => t.replace('not', 'NOT'))],
  ['quarantine.jsonl', 'line 1 holds something else than a message', (d) => writeFile(`${d}/quarantine.jsonl`, withChecksum('{"at":1'))],
  [
    'attempts/2026-11-20-1.jsonl',
    'line 1 holds something else than an audit entry',
    (d) => writeFile(`${d}/attempts/2026-11-20-1.jsonl`, withChecksum('{"id":1'), { mode: 0o600 }),
  ],
  [
    'audit/2026-11-20-1.jsonl',
    'line 1 holds something else than an audit entry',
    (d) => writeFile(`${d}/audit/2026-11-20-1.jsonl`, withChecksum('{"id":1'), { mode: 0o600 }),
  ],
  [
    'access/2026-11-20-1.jsonl',
    'line 1 holds something else than an access line',
    (d) => writeFile(`${d}/access/2026-11-20-1.jsonl`, withChecksum('{"id":1'), { mode: 0o600 }),
  ],
  [
    'access/2026-11-20-1.jsonl',
    'line 2 has the id 1, which is not above the one before',
    (d) =>
      writeFile(`${d}/access/2026-11-20-1.jsonl`, withChecksum('{"id":1,"recordedAt":1,"what":"online","lockId":7').repeat(2), {
        mode: 0o600,
      }),
  ],
  ['accounts.jsonl', 'may be read by others than its owner (mode 644)', (d) => chmod(`${d}/accounts.jsonl`, 0o644)],
  ['locks', 'may be read by others than its owner (mode 755)', (d) => chmod(`${d}/locks`, 0o755)],
  ['.', 'may be read by others than its owner (mode 755)', (d) => chmod(d, 0o755)],
  [
    'status.json.damaged',
    'holds what a start found damaged and set aside',
    (d) => copyFile(`${d}/status.json`, `${d}/status.json.damaged`),
  ],
  [open, 'line 3 is not as it was written', (d) => edit(`${d}/${open}`, (t) => t.replace('"seq":153', '"seq":253'))],
  [
    open,
    'line 2 holds something else than a record',
    (d) =>
      edit(
        `${d}/${open}`,
        editLine(2, (body) => body.replace('"seq":152', '"seq":"x"')),
      ),
  ],
  [
    open,
    'line 2 holds event 5 of epoch e of lock 1 a second time',
    (d) =>
      edit(
        `${d}/${open}`,
        editLine(2, (body) => body.replace('"seq":152', '"seq":5')),
      ),
  ],
  [
    open,
    'holds the recordId 303 twice',
    (d) =>
      edit(
        `${d}/${open}`,
        editLine(2, (body) => body.replace('"recordId":302', '"recordId":303')),
      ),
  ],
  [
    open,
    'holds the recordId 17, lower than its name says',
    (d) =>
      edit(
        `${d}/${open}`,
        editLine(2, (body) => body.replace('"recordId":302', '"recordId":17')),
      ),
  ],
  [
    open,
    'holds the recordId 17, though a file before it goes up to 300',
    (d) =>
      edit(
        `${d}/${open}`,
        editLine(2, (body) => body.replace('"recordId":302', '"recordId":17')),
      ),
  ],
  [`${sealed}.jsonl`, 'line 300 is not as it was written', (d) => edit(`${d}/${sealed}.jsonl`, (t) => `${t.slice(0, -5)}0"}\n`)],
  [`${sealed}.index`, 'cannot be used: it is damaged', (d) => edit(`${d}/${sealed}.index`, (t) => t.replace('"count":300', '"count":299'))],
  [
    `${sealed}.index`,
    'counts 299 records, but 300 are there',
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(1, (body) => body.replace('"count":300', '"count":299')),
      ),
  ],
  [
    `${sealed}.index`,
    'says the last recordId is 301, but it is 300',
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(1, (body) => body.replace('"lastRecordId":300', '"lastRecordId":301')),
      ),
  ],
  [
    `${sealed}.index`,
    /^is for \d+ bytes, but there are \d+$/,
    (d) => edit(`${d}/${sealed}.jsonl`, (t) => t.slice(0, t.lastIndexOf('\n', t.length - 2) + 1)),
  ],
  [
    `${sealed}.index`,
    'has a block 1, of lock 1, that is not what lies there',
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(1, (body) => body.replace('"counts":[128', '"counts":[127')),
      ),
  ],
  [
    `${sealed}.index`,
    /^has a block 1,/,
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(1, (body) => body.replace(/"lowest":\[\d/, '"lowest":[9')),
      ),
  ],
  ...(
    [
      ['where it begins', /"positions":\[0,(\d+)/, (found: string) => found.replace(/\d+$/, (n) => String(Number(n) - 3)), 2],
      ['its lock', /"lockIds":\[1/, () => '"lockIds":[3', 1],
      ['its highest date', /"highest":\[\d/, () => '"highest":[9', 1],
    ] as const
  ).map(([, what, by, block]): (typeof faults)[number] => [
    `${sealed}.index`,
    new RegExp(`^has a block ${block}, of lock \\d, that is not what lies there$`),
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(1, (body) => body.replace(what, by)),
      ),
  ]),
  [
    `${sealed}.index`,
    'has a block 1, of lock 1, that is not what lies there',
    // Two records of one lock in the wrong order, in lines of one length.
    (d) => edit(`${d}/${sealed}.jsonl`, (t) => t.replace(/^(.*"seq":11,.*)\n(.*"seq":12,.*)\n/m, '$2\n$1\n')),
  ],
  [
    `${sealed}.index`,
    'cannot be used: its columns differ in length',
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(1, (body) => body.replace('"counts":[', '"counts":[1,')),
      ),
  ],
  [
    `${sealed}.index`,
    'has block 3 out of order',
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(1, (body) => body.replace('"lockIds":[1,1,2,2]', '"lockIds":[1,3,2,2]')),
      ),
  ],
  [
    `${sealed}.index`,
    'does not remember all events of lock and epoch 2 e',
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(2, (body) => body.replace(/\[1,150\]/, '[1,149]')),
      ),
  ],
  [
    `${sealed}.index`,
    'does not remember all commands of lock 1',
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(2, (body) => body.replace('[7,7]', '[8,8]')),
      ),
  ],
  [
    open,
    'line 2 names somebody by command 41 of lock 1 a second time',
    (d) =>
      edit(
        `${d}/${open}`,
        editLine(2, (body) => body.replace('"command":42', '"command":41')),
      ),
  ],
  ['records/2026-11-20-1.index', 'belongs to no day file', (d) => copyFile(`${d}/${sealed}.index`, `${d}/records/2026-11-20-1.index`)],
  [
    `${sealed}.index`,
    'does not remember all events of lock and epoch 2 e',
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(2, (body) => body.replace(/\[1,150\]/, '[1,20],[30,150]')),
      ),
  ],
  [
    `${sealed}.index`,
    /^says record 300 is of 5, but it is of \d+$/,
    (d) =>
      edit(
        `${d}/${sealed}.index`,
        editLine(1, (body) => body.replace(/"newestAt":\d+/, '"newestAt":5')),
      ),
  ],
  ['records', 'is missing', (d) => rm(`${d}/records`, { recursive: true })],
  ['locks', 'is missing', (d) => rm(`${d}/locks`, { recursive: true })],
  ['locks/2.json', 'is missing, though what it held before is there', (d) => rm(`${d}/locks/2.json`)],
  ['quarantine.jsonl', 'line 1 holds something else than a message', (d) => writeFile(`${d}/quarantine.jsonl`, withChecksum('not JSON'))],
  ['records/2026-11-21-1.index', 'belongs to no day file', (d) => rename(`${d}/${sealed}.jsonl`, `${d}/records/elsewhere`)],
];

const leftTokens = 'has 1 tokens of accounts that were removed, which the next start forgets';
const interrupted = 'is what an interrupted sealing left, and the next start removes';
const leftCards = 'belongs to a lock that was removed: the next start deletes it';
const torn = 'has 60 bytes that a power cut tore: nobody was told that they are kept, and a start cuts them off';
/** The ends of journals that a power cut can leave. */
const tears: readonly [where: string, left: number, tear: (text: string) => string][] = [
  ['a line that is not finished', 29, (text) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 61)],
  ['one that newlines follow', 29, (text) => `${text.slice(0, text.lastIndexOf('\n', text.length - 2) + 60)}${'\n'.repeat(5_000)}`],
  ['a group without its beginning', 31, (text) => `${text}${'\n'.repeat(5_000)}${text.slice(-60)}${nextLine(text)}`],
];
/** As if it were of the same group as the last line. */
const nextLine = (text: string): string =>
  withChecksum(lastBody(text).replace('"recordId":330', '"recordId":331').replace('"seq":180', '"seq":181'));
const lastBody = (text: string): string => text.slice(text.lastIndexOf('\n', text.length - 2) + 1, -19);

test('verify remarks cards that the removal of their lock has left, and finds nothing wrong', () =>
  withData(async (directory) => {
    await copyFile(`${directory}/cards/2.jsonl`, `${directory}/cards/9.jsonl`);
    await writeFile(`${directory}/removed/9.json`, JSON.stringify({ schemaVersion: 1, ...sampleRemovedLock(9) }), { mode: 0o600 });
    await edit(`${directory}/counters.json`, (t) => t.replace('"lockId": 2', '"lockId": 9'));
    const { findings, remarks } = await verify(directory);
    expect([findings, remarks]).toEqual([[], [{ file: 'cards/9.jsonl', problem: leftCards }]]);
  }));

test('verify remarks tokens that outlasted their account, and finds nothing wrong', () =>
  withData(async (directory) => {
    const add = (text: string) => {
      const orphan = editLine(3, (body) =>
        body.replace('token 1', 'token 9').replace('"tokenId":1', '"tokenId":9').replace('"accountId":1', '"accountId":7'),
      );
      return `${text}${orphan(text).split('\n')[2]}\n`;
    };
    await edit(`${directory}/accounts.jsonl`, add);
    await edit(`${directory}/counters.json`, (text) => text.replace('"tokenId": 1', '"tokenId": 9'));
    const { findings, remarks } = await verify(directory);
    expect([findings, remarks]).toEqual([[], [{ file: 'accounts.jsonl', problem: leftTokens }]]);
    const { store } = await startedStore(directory, { clock: manualClock(Date.UTC(2026, 10, 22, 9)) });
    expect(store.ports.accounts.tokenPage(everything).total).toBe(1);
    await store.stop();
    expect((await verify(directory)).remarks).toEqual([]);
  }));

describe('verify remarks what a power cut tore, and finds nothing wrong', () => {
  test.each(tears)('%s', (_, left, tear) =>
    withData(async (directory) => {
      await edit(`${directory}/${open}`, tear);
      await edit(`${directory}/counters.json`, (text) => text.replace('"recordId": 330', '"recordId": 400'));
      expect(await verify(directory)).toEqual({ findings: [], remarks: [{ file: open, problem: torn }], locks: 2, records: 300 + left });
    }),
  );
});

test('verify remarks what an interrupted sealing left, and finds nothing wrong', () =>
  withData(async (directory) => {
    const left = `${sealed}.jsonl.sealing`;
    await writeFile(`${directory}/${left}`, '{', { mode: 0o600 });
    expect(await verify(directory)).toMatchObject({ findings: [], remarks: [{ file: left, problem: interrupted }] });
  }));

test('verify does not report a missing or foreign directory as one with everything missing', () =>
  withDirectory(async (directory) => {
    await expect(verify(`${directory}/nowhere`)).rejects.toThrow(`${directory}/nowhere cannot be read (ENOENT)`);
    await expect(verify(directory)).rejects.toThrow(`${directory} is no data directory of latchd: is --data-dir right?`);
  }));

describe('verify finds a planted fault', () => {
  test.each(faults)('%s: %s', (file, problem, plant) =>
    withData(async (directory) => {
      await plant(directory);
      const { findings } = await verify(directory);
      const expected = typeof problem === 'string' ? problem : expect.stringMatching(problem);
      expect(findings).toContainEqual({ file, problem: expected });
    }),
  );
});

test.each([
  ['locks/2.json', 'is damaged: it is empty', 'put it back from a backup'],
  ['locks', 'is missing', 'put it back from a backup, or make an empty folder to go on without what was in it'],
  ['accounts.jsonl', 'may be read by others than its owner (mode 644)', 'chmod go= on it'],
  ['counters.json', 'has the floor 1 for lockId, but 2 is in use', 'nothing: the next start raises it'],
  ['counters.json', 'has the floor 0 for groupId, but 1 is in use', 'put it back from a backup'],
  ['status.json', 'was written by a newer latchd (schema 9, this one knows 1): start that version', 'start that version'],
])('verify says what to do about %s that %s', (file, problem, remedy) => {
  expect(repairHintFor({ file, problem })).toBe(remedy);
});

test('verify says that nothing is to do about what a start mends, and after the start nothing is wrong', () =>
  withData(async (directory) => {
    await edit(`${directory}/counters.json`, (text) =>
      text.replace(/"(lockId|cardId|accountId|tokenId|webhookId|recordId)": \d+/g, '"$1": 0'),
    );
    for (const name of ['status.json', 'battery.json', 'alarms.jsonl']) await writeFile(`${directory}/${name}`, '', { mode: 0o600 });
    await rm(`${directory}/command.key`);
    const { findings } = await verify(directory);
    expect(findings.map(repairHintFor).filter((remedy) => !remedy.startsWith('nothing'))).toEqual([]);
    expect(findings.length).toBeGreaterThanOrEqual(10);
    const { store } = await startedStore(directory, { clock: manualClock(Date.UTC(2026, 10, 22, 9)) });
    // The files of the cards are not read before.
    expect(await store.ports.counters.next('cardId')).toBe(3);
    await store.stop();
    for (const name of await readdir(directory)) if (name.endsWith('.damaged')) await rm(`${directory}/${name}`);
    expect((await verify(directory)).findings).toEqual([]);
  }));

test('a start makes an index again that was moved away as verify advises', () =>
  withData(async (directory) => {
    await edit(
      `${directory}/${sealed}.index`,
      editLine(1, (body) => body.replace('"count":300', '"count":299')),
    );
    const [finding] = (await verify(directory)).findings;
    expect(finding && repairHintFor(finding)).toBe('move it away: the next start makes it again from its records');
    await rm(`${directory}/${sealed}.index`);
    const { store } = await startedStore(directory, { clock: manualClock(Date.UTC(2026, 10, 22, 9)) });
    await store.maintenance.sealDays();
    await store.stop();
    expect((await verify(directory)).findings).toEqual([]);
    expect(await readdir(`${directory}/records`)).toContain('2026-11-21-1.index');
  }));

/** The sentences in a part of the program, each as the pattern of what it can say. */
async function sentencesOf(file: string): Promise<[sentence: string, pattern: RegExp][]> {
  const code = await readFile(new URL(`../../../../src/stores/files/verify/${file}`, import.meta.url), 'utf8');
  const literals = code
    .split('\n')
    .flatMap((line) => (/^\s*(\/\/|\*|\/\*|import )|throw new /.test(line) ? [] : [...line.matchAll(/'([^'`]*)'|`([^`]*)`/g)]));
  const sentences = literals
    .map(([, plain, template]) => plain ?? template ?? '')
    .filter((text) => / /.test(text.replaceAll(/\$\{[^}]*\}/g, '').trim()));
  return sentences.map((text) => {
    const parts = text.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[.*+?^()[\]\\{}|$]/g, '\\$&'));
    return [text, new RegExp(`^(line \\d+ )?${parts.join('.*')}$`)];
  });
}

test('every check of verify has a planted fault', async () => {
  const files = (await readdir(new URL('../../../../src/stores/files/verify', import.meta.url))).filter((name) =>
    name.startsWith('verify'),
  );
  const sentences = (await Promise.all(files.map(sentencesOf))).flat();
  expect(sentences.length).toBeGreaterThan(30);
  const planted = [...faults.map(([, problem]) => problem), torn, interrupted, leftTokens, leftCards].map((problem) =>
    typeof problem === 'string' ? problem : problem.source.replaceAll(/^\^|\$$/g, ''),
  );
  expect(sentences.filter(([, pattern]) => !planted.some((problem) => pattern.test(problem))).map(([sentence]) => sentence)).toEqual([]);
});
