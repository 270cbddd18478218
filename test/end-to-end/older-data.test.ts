// Data directories that older programs have written, with cards and with changes that no lock had answered, under the daemon of today.
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type GatewayProcess, startGatewayProcess } from '../../device-sim/gateway-process.ts';
import { verify } from '../../src/stores/files/verify/verify.ts';
import { program, until } from '../support/site.ts';
import { connectHandLock, type HandLock } from '../support/site-lock.ts';

/** Each made by the daemon of its time: two locks with cards, then one each with an open add, an open change of dates and an open removal. */
const older = join(import.meta.dirname, 'older-data');
const always = { startDate: 0, endDate: 0 };
const cardsOf: Readonly<Record<number, readonly object[]>> = {
  1: [
    { cardId: 1, cardNumber: '1001', cardName: 'Alice', ...always },
    { cardId: 2, cardNumber: '001002', cardName: 'Bob', startDate: 1_760_000_000_000, endDate: 1_960_000_000_000 },
    { cardId: 3, cardNumber: '1003', cardName: 'Carol', ...always },
  ],
  2: [{ cardId: 4, cardNumber: '1001', cardName: 'Alice', ...always }],
  3: [],
  4: [{ cardId: 6, cardNumber: '3004', cardName: 'Dora 4', ...always }],
  5: [{ cardId: 7, cardNumber: '3005', cardName: 'Dora 5', ...always }],
};

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** Starts today's daemon on a copy. */
async function startOn(schema: string) {
  const folder = await mkdtemp(join(tmpdir(), 'latchd-older-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'data');
  await cp(join(older, schema), dataDir, { recursive: true });
  const start = async () => {
    const gateway = await startGatewayProcess({ dataDir, program, flags: ['--command-timeout-ms', '2000'] });
    endings.push(() => gateway.stop('SIGKILL'));
    return gateway;
  };
  return { dataDir, start };
}

async function ask(gateway: GatewayProcess, method: string, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${gateway.httpUrl}/api/v1/${path}`, { method, headers: { authorization: `Bearer ${gateway.token}` } });
  const body = (await response.json()) as Record<string, unknown>;
  return response.status < 300 ? body : { status: response.status, ...body };
}

async function listed(gateway: GatewayProcess, lockId: number): Promise<unknown> {
  return (await ask(gateway, 'GET', `identity-card/list?lockId=${lockId}&pageNo=1&pageSize=100`))['list'];
}

/** What the list of each lock shows of its cards. */
const shown = (lockId: number) => cardsOf[lockId]?.map((card) => expect.objectContaining({ lockId, ...card }));

/** The lock comes back with these cards in its memory, and says so when it is asked; it gets a new key for it. */
async function comesBack(gateway: GatewayProcess, lockId: number, cards: readonly object[]): Promise<HandLock> {
  const { deviceId, deviceKey } = (await ask(gateway, 'POST', `gateway/locks/${lockId}/key`)) as { deviceId: string; deviceKey: string };
  const lock = await connectHandLock({ mqttUrl: gateway.mqttUrl, deviceId, deviceKey });
  endings.push(() => lock.end());
  let answered = 0;
  lock.client.on('message', () => {
    for (const { id, op } of lock.commands.slice(answered)) {
      answered += 1;
      const result = op === 'list-cards' ? { result: { cards, total: cards.length } } : {};
      void lock.publish('reply', { id, ok: true, ...result }).catch(() => undefined);
    }
  });
  await lock.hello();
  return lock;
}

describe.each(['schema-2', 'schema-3'])('a data directory of %s', (schema) => {
  test('is upgraded after a backup: every lock and card is there as before, and nothing is left out', async () => {
    const { dataDir, start } = await startOn(schema);
    const backups = async () => (await readdir(`${dataDir}/backups`)).filter((name) => name.startsWith('latchd-before-upgrade-'));
    for (let n = 0; n < 2; n++) {
      const gateway = await start();
      // A document that nothing has changed stays as it was, and the next start saves it again.
      if (n === 0) expect(await backups()).toHaveLength(1);
      for (const lockId of [1, 2, 3, 4, 5]) expect(await listed(gateway, lockId)).toEqual(shown(lockId));
      expect(gateway.log.filter(({ code }) => /disabled|damaged|unusable/.test(String(code)))).toEqual([]);
      await gateway.stop();
    }
    const copy = `${dataDir}/locks/1.json.${schema}`;
    expect(await readFile(copy, 'utf8')).toBe(await readFile(join(older, schema, 'locks/1.json'), 'utf8'));
    for (const lockId of [1, 2, 3, 4, 5]) {
      const [header = ''] = (await readFile(`${dataDir}/cards/${lockId}.jsonl`, 'utf8')).split('\n');
      expect(JSON.parse(header)).toMatchObject({ of: 'cards', schemaVersion: 2 });
      const path = `cards/${lockId}.jsonl`;
      if (schema === 'schema-3') expect(await readFile(`${dataDir}/${path}.schema-1`)).toEqual(await readFile(join(older, schema, path)));
    }
    const { findings } = await verify(dataDir);
    expect(findings.filter(({ problem }) => !/^may be read/.test(problem))).toEqual([]);
  });

  test('ends what was open when its locks come back, and takes no card off that may have been there before', async () => {
    const { start } = await startOn(schema);
    const gateway = await start();
    const locks = await Promise.all([
      comesBack(gateway, 3, [{ cardNumber: '2002', ...always }]),
      comesBack(gateway, 4, []),
      comesBack(gateway, 5, []),
    ]);
    await until(async () => ((await listed(gateway, 5)) as unknown[]).length === 0, 'the card whose removal was open is gone');
    await until(() => locks.every(({ commands }) => commands.some(({ op }) => op === 'list-cards')), 'every lock was asked');
    const removed = () => gateway.log.filter(({ code }) => code === 'card-settled').length;
    await until(() => removed() === 3, 'each change has ended');
    expect(await listed(gateway, 3)).toEqual([]);
    // It was reset meanwhile: the card stays wanted, and nothing puts it back by itself.
    expect(await listed(gateway, 4)).toEqual(shown(4));
    const changing = locks.flatMap(({ commands }) => commands.filter(({ op }) => /add|update|remove|put/.test(op)));
    expect(changing).toEqual([]);
  });
});
