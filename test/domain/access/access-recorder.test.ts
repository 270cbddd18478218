// Which lines the access log gets, and that none is missing after a crash.
import { expect, test } from '@jest/globals';
import type { AccountId } from '../../../src/domain/accounts/account.ts';
import { always } from '../../../src/domain/credentials/entry.ts';
import { createAccessDomain, doorSeven, heldSince, someEntry } from '../../support/access-log-domain.ts';
import { createMemoryAccessLog } from '../../support/memory-access-log.ts';

/** A recorder that has started; `since`: the lines from then on, without what is null, empty or zero. */
async function started() {
  const domain = await createAccessDomain();
  await domain.recorder.start();
  await domain.recorder.allCaughtUp();
  const { length } = domain.log.lines;
  const isSaid = (value: unknown) => value !== null && value !== '' && value !== 0;
  const said = <T extends object>(line: T) => Object.fromEntries(Object.entries(line).filter(([, value]) => isSaid(value))) as Partial<T>;
  return { ...domain, since: () => domain.log.lines.slice(length).map(said) };
}

test('an add over the lock is unsure between the command and the reply, and the reply gives it a commandId', async () => {
  const { put, clock, since } = await started();
  const sent = clock.now();
  const entry = someEntry(41, { held: heldSince(sent, always, { sure: false, before: null }) });
  await put(entry);
  clock.setNow(sent + 300);
  await put({ ...entry, held: heldSince(sent + 300, always, { commandId: 'c1' }) });
  expect(since()).toEqual([
    expect.objectContaining({ what: 'unsure', entryId: 41, number: '100041', notBefore: sent, basis: 'reply' }),
    expect.objectContaining({ what: 'wanted', entryId: 41, name: 'Card 41' }),
    expect.objectContaining({ what: 'held', entryId: 41, notBefore: sent, notAfter: sent + 300, commandId: 'c1' }),
  ]);
});

test('a card that a listing does not show any more is gone since some time after the last proof', async () => {
  const { put, clock, since } = await started();
  const proof = clock.now();
  await put(someEntry(41, { held: heldSince(proof - 5_000, always, { basisDate: proof }) }));
  clock.setNow(proof + 60_000);
  await put(someEntry(41, { held: null, missing: true }));
  expect(since().slice(2)).toEqual([expect.objectContaining({ what: 'gone', notBefore: proof, notAfter: proof + 60_000 })]);
});

test('what went has the proof that the change says, and none when nobody knows', async () => {
  const { clock, entries, since } = await started();
  const entry = someEntry(41, { held: heldSince(clock.now()) });
  await entries.update(doorSeven, () => ({ put: [entry] }));
  await entries.update(doorSeven, () => ({ remove: [entry.entryId], proof: { basis: 'reply', commandId: 'c2' } }));
  expect(since().filter(({ what }) => what === 'gone')).toEqual([expect.objectContaining({ basis: 'reply', commandId: 'c2' })]);
});

test('a proof that says nothing new, and a number with other leading zeros of nobody, make no line', async () => {
  const { put, clock, since } = await started();
  const entry = someEntry(41, { held: heldSince(clock.now()) });
  await put(entry);
  clock.setNow(clock.now() + 1_000);
  await put({ ...entry, held: heldSince(clock.now() - 1_000, always, { basis: 'digest', basisDate: clock.now() }) });
  expect(since()).toHaveLength(2);
});

test('a passcode has no number in any line, and a name that a phone gave is noted', async () => {
  const { put, clock, log, since } = await started();
  await put(someEntry(52, { kind: 'passcode', number: '482913', name: 'Erika', held: heldSince(clock.now()) }));
  await put(someEntry(53, { managed: false, direct: null, held: heldSince(clock.now(), always, { basis: 'phone' }) }));
  expect(JSON.stringify(log.lines)).not.toContain('482913');
  expect(since().map(({ what, detail }) => [what, detail])).toEqual([
    ['held', undefined],
    ['wanted', undefined],
    ['held', 'noted'],
  ]);
});

test('a line names the person of the credential as it was then', async () => {
  const { put, addPerson, clock, since } = await started();
  await addPerson({
    personId: 5 as never,
    name: 'Erika M.',
    externalId: null,
    credentials: [{ credentialId: 12 as never } as never],
    grants: [],
  });
  await put(someEntry(41, { direct: null, credentialId: 12, held: heldSince(clock.now()) }));
  expect(since()).toEqual([
    expect.objectContaining({ what: 'held', personId: 5, credentialId: 12, name: 'Erika M.' }),
    expect.objectContaining({ what: 'wanted', personId: 5, credentialId: 12, detail: 'granted' }),
  ]);
});

test("a number that becomes somebody else's is theirs from then on, not since the lock holds it", async () => {
  const { put, clock, since } = await started();
  const entry = someEntry(41, { direct: null, credentialId: 12, held: heldSince(clock.now()) });
  await put(entry);
  clock.setNow(clock.now() + 5_000);
  await put({ ...entry, credentialId: 13 });
  const span = { notBefore: clock.now(), notAfter: clock.now() };
  expect(since().slice(2)).toEqual([
    expect.objectContaining({ what: 'held', credentialId: 13, ...span }),
    expect.objectContaining({ what: 'wanted', credentialId: 13, ...span }),
  ]);
});

test.each([
  ['holds', {}],
  ['may hold', { sure: false, before: null }],
])("a card that a lock %s for one person is the next one's since they have it, however late the gateway looks", async (_what, more) => {
  const { put, addPerson, clock, since } = await started();
  const had = clock.now();
  const held = heldSince(had, always, more);
  await put(someEntry(41, { direct: null, credentialId: 12, held }));
  await addPerson({
    personId: 6 as never,
    name: 'Bob',
    externalId: null,
    credentials: [{ credentialId: 13 as never, createdAt: had + 1_000 } as never],
    grants: [],
  });
  clock.setNow(had + 5_000);
  await put(someEntry(41, { direct: null, credentialId: 13, held }));
  const span = { notBefore: had + 1_000, notAfter: had + 1_000 };
  const [first, second] = since().slice(2);
  expect(first).toMatchObject({ personId: 6, ...span });
  expect(second).toMatchObject({ what: 'wanted', personId: 6, ...span });
});

test('roles are lines: those of a start, each change, and the end of an account', async () => {
  const { log, locks, accounts, since } = await started();
  expect(log.lines.filter(({ what }) => what === 'role').map(({ name, detail }) => [name, detail])).toEqual([
    ['max', 'manager'],
    ['ole', 'operator'],
    ['ada', 'administrator'],
  ]);
  await locks.update(doorSeven, (lock) => ({
    ...lock,
    administrator: 3 as AccountId,
    roles: [{ accountId: 4 as AccountId, role: 'manager' }],
  }));
  await accounts.remove(4 as AccountId, 1);
  expect(since().map(({ what, name, detail }) => [what, name, detail])).toEqual([
    ['role', 'max', 'administrator'],
    ['role', 'ole', 'manager'],
    ['role', 'ada', undefined],
    ['account', 'ole', undefined],
  ]);
});

test('a lock that is away for less than a minute has no line, and one that comes and goes has a bounded number', async () => {
  const { events, clock, since } = await started();
  const lockId = doorSeven;
  const presence = () => since().filter(({ what }) => what === 'online' || what === 'offline');
  events.emit('lock-online', { lockId });
  events.emit('lock-offline', { lockId, reason: '' });
  await clock.advance(59_000);
  events.emit('lock-online', { lockId });
  await clock.advance(120_000);
  expect(presence().map(({ what }) => what)).toEqual(['online']);
  const left = clock.now();
  events.emit('lock-offline', { lockId, reason: '' });
  await clock.advance(130_000);
  expect(presence().at(-1)).toMatchObject({ what: 'offline', notBefore: left, notAfter: left });
  for (let n = 0; n < 1_000; n++) {
    events.emit('lock-online', { lockId });
    events.emit('lock-offline', { lockId, reason: '' });
    await clock.advance(61_000);
  }
  expect(presence().length).toBeLessThan(300);
  expect(presence().at(-1)?.what).toBe('offline');
});

test('what a crash left without a line gets one at the next start, dated since the last line', async () => {
  const { put, drop, clock, log, locks, createRecorder } = await started();
  const entry = someEntry(41, { held: heldSince(clock.now()) });
  await put(entry, someEntry(42, { held: heldSince(clock.now()) }));
  const lastLine = clock.now();
  const onDisk = createMemoryAccessLog(clock.now, log.lines);
  clock.setNow(lastLine + 5_000);
  await put({ ...entry, held: heldSince(lastLine + 5_000, { ...always, endDate: 77 }) });
  await drop(42);
  await locks.update(doorSeven, (lock) => ({ ...lock, roles: [] }));
  const before = onDisk.lines.length;
  const recorder = createRecorder(onDisk);
  await recorder.start();
  await recorder.allCaughtUp();
  const span = { notBefore: lastLine, notAfter: lastLine + 5_000 };
  expect(onDisk.lines.slice(before)).toEqual([
    expect.objectContaining({ what: 'offline', lockId: null, ...span }),
    expect.objectContaining({ what: 'online', lockId: null }),
    expect.objectContaining({ what: 'held', entryId: 41, endDate: 77, notBefore: lastLine }),
    expect.objectContaining({ what: 'role', name: 'max', detail: '', ...span }),
    expect.objectContaining({ what: 'role', name: 'ole', detail: '', ...span }),
    expect.objectContaining({ what: 'gone', entryId: 42, number: '100042', ...span }),
    expect.objectContaining({ what: 'unwanted', entryId: 42, ...span }),
  ]);
  await recorder.stop();
});

test('a start after a clean stop adds nothing but that the gateway runs again', async () => {
  const { put, clock, log, recorder, createRecorder } = await started();
  await put(someEntry(41, { held: heldSince(clock.now()) }));
  await recorder.stop();
  const before = log.lines.length;
  const again = createRecorder(log);
  await again.start();
  await again.allCaughtUp();
  expect(log.lines.slice(before).map(({ what, lockId }) => [what, lockId])).toEqual([['online', null]]);
  await again.stop();
});

test('a first start dates what is held by what is known of it', async () => {
  const { put, clock, createRecorder } = await createAccessDomain();
  await put(
    someEntry(41, { held: heldSince(4_000) }),
    someEntry(42, { direct: null, createdBy: '', held: heldSince(5_000, always, { basis: 'list' }) }),
  );
  const log = createMemoryAccessLog(clock.now);
  const recorder = createRecorder(log);
  await recorder.start();
  await recorder.allCaughtUp();
  expect(log.lines.filter(({ what }) => what === 'held')).toEqual([
    expect.objectContaining({ entryId: 41, notBefore: 4_000, notAfter: 4_000, recordedAt: clock.now() }),
    expect.objectContaining({ entryId: 42, notBefore: 5_000, basis: 'list' }),
  ]);
  await recorder.stop();
});

test('the lines of a lock that is removed end with it', async () => {
  const { put, clock, locks, recorder, log } = await started();
  await put(someEntry(41, { held: heldSince(clock.now()) }));
  await locks.remove(doorSeven);
  await recorder.allCaughtUp();
  expect([...log.topicsOf(doorSeven)]).toEqual([]);
  expect(log.lines.at(-1)?.lockId).toBe(doorSeven);
});

test('a line for which there is no room is written when there is', async () => {
  const { put, clock, log, events, recorder } = await started();
  const { append } = log;
  log.append = async () => {
    throw new Error('the disk is full');
  };
  await put(someEntry(41, { held: heldSince(clock.now()) }));
  await recorder.stored();
  log.append = append;
  events.emit('storage-works', {});
  await recorder.allCaughtUp();
  expect([...log.topicsOf(doorSeven)]).toEqual(expect.arrayContaining(['held 41', 'wanted 41']));
});

test('who asks hears of the lines that are on their way, and not of those that come after', async () => {
  const { events, log, recorder } = await started();
  const { append } = log;
  let write = (): void => undefined;
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  log.append = (drafts) => written.then(() => append(drafts));
  log.stored = () => written;
  events.emit('lock-online', { lockId: doorSeven });
  const isOnline = () => log.topicsOf(doorSeven).has('presence');
  const asked = [recorder.caughtUp(doorSeven), recorder.allCaughtUp()].map(async (answer) => answer.then(isOnline));
  expect(isOnline()).toBe(false);
  write();
  expect(await Promise.all(asked)).toEqual([true, true]);
});

test('what ends while many entries are compared is not said to be so afterwards', async () => {
  const { put, drop, clock, createRecorder } = await createAccessDomain();
  const ids = Array.from({ length: 450 }, (_, n) => n + 1);
  await put(...ids.map((id) => someEntry(id, { held: heldSince(clock.now()) })));
  const log = createMemoryAccessLog(clock.now);
  const isSaid = (id: number) => log.topicsOf(doorSeven).has(`held ${id}`);
  const seen: boolean[] = [];
  let turns = 0;
  const recorder = createRecorder(log, async () => {
    turns += 1;
    if (turns !== 3) return;
    seen.push(isSaid(1), isSaid(440));
    await drop(1);
    await drop(440);
  });
  await recorder.start();
  await recorder.allCaughtUp();
  expect(seen).toEqual([true, false]);
  expect(ids.filter((id) => !isSaid(id))).toEqual([1, 440]);
  expect(log.lines.filter(({ entryId, what }) => entryId === 1 && what === 'gone')).toHaveLength(1);
  await recorder.stop();
});
