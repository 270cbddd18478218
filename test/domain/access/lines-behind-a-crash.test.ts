// What a crash left without a line, on a lock that speaks before the gateway has compared it.
import { expect, test } from '@jest/globals';
import { always } from '../../../src/domain/credentials/entry.ts';
import { createAccessDomain, heldSince, someEntry } from '../../support/access-log-domain.ts';
import { createMemoryAccessLog } from '../../support/memory-access-log.ts';

test('a card without a line that a lock proves to hold before it is compared is held since it was, not since that proof', async () => {
  const { put, clock, log, recorder, createRecorder } = await createAccessDomain();
  await recorder.start();
  await recorder.allCaughtUp();
  const onDisk = createMemoryAccessLog(clock.now, log.lines);
  const had = clock.now() + 1_000;
  clock.setNow(had);
  const entry = someEntry(41, { createdAt: had, held: heldSince(had) });
  await put(entry);
  clock.setNow(had + 60_000);
  let compare = (): void => undefined;
  const turn = new Promise<void>((resolve) => {
    compare = resolve;
  });
  const next = createRecorder(onDisk, () => turn);
  await next.start();
  await put({ ...entry, held: heldSince(had, always, { basis: 'digest', basisDate: clock.now() }) });
  compare();
  await next.allCaughtUp();
  expect(onDisk.lines.filter(({ entryId }) => entryId === 41)).toEqual([
    expect.objectContaining({ what: 'held', notBefore: had, notAfter: had }),
    expect.objectContaining({ what: 'wanted', notBefore: had, notAfter: had }),
  ]);
  await next.stop();
});
