import { describe, expect, it } from '@jest/globals';
import { callers, createDomain, lockId, otherLockId, someCard, stays } from '../../support/domain.ts';
import { createCardMemory, refusal } from '../../support/fake-link.ts';
import { settled } from '../../support/settable-clock.ts';

const { manager } = callers;
const newCard = { cardNumber: '42', byteOrder: 'regular', name: '', startDate: 0, endDate: 0 } as const;
const digest = '0'.repeat(16);

describe('how many cards a lock holds', () => {
  it('is what its hello said, and null until it has said it', async () => {
    const { reports, statuses } = await createDomain();
    expect(statuses.get(lockId).cardsOnLock).toBeNull();
    reports.hello(lockId, { cards: { count: 12, digest } });
    expect(statuses.get(lockId).cardsOnLock).toBe(12);
    reports.hello(lockId, {});
    expect(statuses.get(lockId).cardsOnLock).toBe(12);
  });

  it('rises and falls with the changes to which the lock said ok, and is set right by what it lists', async () => {
    const { reports, statuses, cardService, link, clock } = await createDomain({ cards: [someCard()] });
    const memory = createCardMemory({ cardNumber: '1325672378', startDate: 0, endDate: 0 });
    link.reply(lockId, memory.replier);
    reports.hello(lockId, { date: clock.now(), cards: { count: 12, digest } });
    await settled();
    statuses.patch(lockId, { cardsOnLock: 12 });
    const cardId = await cardService.add(manager, lockId, newCard, 'gateway', stays());
    expect(statuses.get(lockId).cardsOnLock).toBe(13);
    await cardService.changeValidity(manager, lockId, cardId, { startDate: 0, endDate: 9e12 }, 'gateway', stays());
    expect(statuses.get(lockId).cardsOnLock).toBe(13);
    await cardService.remove(manager, lockId, cardId, 'gateway', stays());
    expect(statuses.get(lockId).cardsOnLock).toBe(12);
    await cardService.onLock(manager, lockId, { pageNo: 1, pageSize: 10 }, stays());
    expect(statuses.get(lockId).cardsOnLock).toBe(1);
  });

  it('does not change by what the lock refuses', async () => {
    const { reports, statuses, cardService, link, clock } = await createDomain();
    reports.hello(lockId, { date: clock.now(), cards: { count: 12, digest } });
    link.reply(lockId, () => refusal('no-space'));
    await expect(cardService.add(manager, lockId, newCard, 'gateway', stays())).rejects.toMatchObject({ code: 'lock-refused' });
    expect(statuses.get(lockId).cardsOnLock).toBe(12);
  });

  it('is that of its own lock', async () => {
    const { reports, statuses } = await createDomain();
    reports.hello(lockId, { cards: { count: 12, digest } });
    expect(statuses.get(otherLockId).cardsOnLock).toBeNull();
  });
});
