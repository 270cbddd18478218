// The restore drill: a gateway at work is backed up, works on, is killed and its disk wiped; what comes back from the archive has all that
// was in it, asks the locks for what happened since, and gives no id twice.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Item, openSite, type Site, until } from '../support/site.ts';
import { createRuns, type Runs } from '../support/site-process.ts';

const lockNumbers = [1, 2, 3] as const;

describe('a gateway whose disk is lost', () => {
  let site: Site;
  let runs: Runs;
  let serial = 0;
  /** Card numbers that were held to each lock, in order: each is one event that can be told from all others. */
  const swiped = new Map<number, string[]>(lockNumbers.map((number) => [number, []]));
  /** Every id that was ever given, by kind. */
  const given = { record: new Set<number>(), card: new Set<number>(), lock: new Set<number>(), token: new Set<number>() };

  beforeAll(async () => {
    runs = createRuns();
    site = await openSite({ locks: lockNumbers.map(() => ({ historyCapacity: 5_000, eventCapacity: 5_000, cardCapacity: 1_000 })) });
  });

  afterAll(async () => {
    await runs?.endAll();
    await site?.close();
  });

  const latchd = (...args: readonly string[]) => runs.finish(args);

  async function swipe(number: number): Promise<void> {
    const cardNumber = String(1_000_000 + serial++);
    swiped.get(number)?.push(cardNumber);
    await site.lock(number).swipeCard(cardNumber);
  }

  async function addCard(number: number): Promise<number> {
    const query = {
      lockId: site.lockId(number),
      cardNumber: String(8_000_000 + serial++),
      method: 'regular',
      addType: 2,
      startDate: 0,
      endDate: 0,
    };
    const { status, body } = await site.api('POST', '/api/v1/identity-card/add', { query });
    expect(status).toBe(200);
    expect(given.card.has(body.keyboardPwdId)).toBe(false);
    given.card.add(body.keyboardPwdId);
    return body.keyboardPwdId;
  }

  const recordsOf = (number: number) => site.all('/api/v1/lock/records', { lockId: site.lockId(number) });
  const swipesOf = (records: readonly Item[]) => records.map(({ keyboardPwd }) => keyboardPwd).filter((cardNumber) => cardNumber !== '');

  async function unlockAndLock(number: number, token?: string): Promise<void> {
    for (const action of ['unlock', 'lock']) {
      const answer = await site.api('POST', `/api/v1/lock/${action}`, { query: { lockId: site.lockId(number) }, ...(token && { token }) });
      expect([answer.status, site.lock(number).state]).toEqual([200, `${action}ed`]);
    }
  }

  test('is restored from its backup: all of it is there, newer events are asked for, no id comes again, doors open (Decision 7, Protocol 4.4)', async () => {
    const reception = await site.account('reception');
    for (const number of lockNumbers) {
      await site.api('PUT', `/api/v1/gateway/locks/${site.lockId(number)}/roles/reception`, { body: { role: 'operator' } });
      for (let n = 0; n < 100; n++) await swipe(number);
      await addCard(number);
      given.lock.add(site.lockId(number));
    }
    const doomedCard = await addCard(1);
    await unlockAndLock(3, reception);

    // The backup, with events flowing and doors opening.
    const archive = join(site.folder, 'one.tar.gz');
    let over = false;
    const bustle = lockNumbers.map(async (number) => {
      while (!over) {
        await swipe(number);
        await site.lock(number).whenEventsAcknowledged();
      }
    });
    const made = latchd('backup', '--data-dir', site.dataDir, '--to', archive, '--json');
    await unlockAndLock(3);
    const { exitCode, stdout } = await made;
    over = true;
    await Promise.all(bustle);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ file: archive });
    const inBackup = recordsIn(await readFile(archive));
    expect(inBackup.size).toBeGreaterThan(300);

    // Life goes on: more events than one question asks for, cards, an account, a lock, a token.
    for (let n = 0; n < 1_300; n++) await swipe(2);
    for (let n = 0; n < 50; n++) for (const number of [1, 3]) await swipe(number);
    await unlockAndLock(3, reception);
    const newCard = await addCard(1);
    await site.api('DELETE', '/api/v1/identity-card/delete', { query: { lockId: site.lockId(1), cardId: doomedCard, deleteType: 2 } });
    const late = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: '02DD00000001', lockName: 'Late' } });
    given.lock.add(late.body.lockId);
    const lateToken = await site.api('POST', '/api/v1/gateway/tokens', { body: { username: 'admin', name: 'late' } });
    given.token.add(lateToken.body.tokenId);
    for (const number of lockNumbers) await site.lock(number).whenEventsAcknowledged();
    const before = new Map<number, readonly Item[]>();
    for (const number of lockNumbers) {
      const records = await recordsOf(number);
      for (const { recordId } of records) given.record.add(recordId);
      before.set(number, records);
    }

    // The disk is gone; the archive is not.
    await site.kill9();
    await site.wipe();
    const restored = await latchd('restore', archive, '--data-dir', site.dataDir);
    expect(restored).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`3 locks, ${inBackup.size} records`) });
    expect((await readdir(site.folder)).filter((name) => name.includes('restoring'))).toEqual([]);
    await site.start();

    // Everything that happened is there once, in order: what was acknowledged after the backup was asked for again.
    for (const number of lockNumbers) {
      await site.whenOnline(number);
      await until(
        async () => swipesOf(await recordsOf(number)).length >= (swiped.get(number)?.length ?? 0),
        `lock ${number} has told it all`,
        30_000,
      );
    }
    let asBefore = 0;
    for (const number of lockNumbers) {
      const records = await recordsOf(number);
      expect(swipesOf(records).toSorted()).toEqual(swiped.get(number)?.toSorted());
      const old = new Map((before.get(number) ?? []).map((record) => [record.recordId, record]));
      for (const record of records) {
        // Under its old id if it was in the backup, and then the same to the last member; under a new one otherwise.
        expect(inBackup.has(record.recordId)).toBe(given.record.has(record.recordId));
        if (!inBackup.has(record.recordId)) expect(record.recordId).toBeGreaterThan(Math.max(...given.record));
        else expect(record).toEqual(old.get(record.recordId));
        if (inBackup.has(record.recordId)) asBefore += 1;
      }
      expect(records.length).toBe(before.get(number)?.length);
    }
    expect(asBefore).toBe(inBackup.size);

    // A command of the old life is still known for whose it was.
    const remote = (await recordsOf(3)).filter(({ recordType }) => recordType === 'unlock by gateway');
    expect(remote.map(({ username }) => username)).toEqual(['reception', 'admin', 'reception']);

    // People and doors: the old token holds, the late one does not; ids go on above all old ones.
    await unlockAndLock(1, reception);
    await unlockAndLock(2);
    expect((await site.api('GET', '/api/v1/gateway/status', { token: lateToken.body.token })).status).toBe(401);
    const next = await addCard(1);
    expect(next).toBeGreaterThan(Math.max(newCard, doomedCard));
    const nextLock = await site.api('POST', '/api/v1/gateway/locks', { body: { lockMac: '02DD00000002', lockName: 'Next' } });
    expect(nextLock.body.lockId).toBeGreaterThan(late.body.lockId);
    const nextToken = await site.api('POST', '/api/v1/gateway/tokens', { body: { username: 'admin', name: 'next' } });
    expect(nextToken.body.tokenId).toBeGreaterThan(lateToken.body.tokenId);

    // Cards of which the restored gateway does not know: left on the lock, said in the log, shown side by side.
    const differs = site.gateway.log.filter(({ code, lockId }) => code === 'cards-differ' && lockId === site.lockId(1));
    expect(differs).toHaveLength(1);
    expect(await site.gateway.stop()).toBe(0);
    expect((await latchd('verify', '--data-dir', site.dataDir)).exitCode).toBe(0);
  });
});

/** recordId to line, of an archive, read without our own code. */
function recordsIn(archive: Buffer): Map<number, string> {
  const text = gunzipSync(archive).toString('latin1');
  // The first line of a file follows the header of the archive, not a newline.
  return new Map([...text.matchAll(/(\{"recordId":(\d+),.*\})\n/g)].map((match) => [Number(match[2]), match[1] as string]));
}
