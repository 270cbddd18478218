// A manager who loses the role while a decision about an entry waits for the disk: nothing of the decision is stored.
import { expect, it } from '@jest/globals';
import type { CardId } from '../../../src/domain/credentials/card.ts';
import { always } from '../../../src/domain/credentials/entry.ts';
import { callers, codeOf, createDomain, lockId, stays } from '../../support/domain.ts';
import { someEntry, someStranger, surely } from '../../support/entries.ts';
import { bareCapabilities } from '../../support/fake-driver.ts';

const { manager } = callers;
const gone = stays();
const ids = { card: 501 as CardId, missing: 502 as CardId, stranger: 503 as CardId, passcode: 504 as CardId };
const newCard = { cardNumber: '42', byteOrder: 'regular', name: '', startDate: 0, endDate: 0 } as const;
const dates = { startDate: 5, endDate: 0 };

type Domain = Awaited<ReturnType<typeof createDomain>>;

it.each<[what: string, decide: (domain: Domain) => Promise<unknown>]>([
  ['removing an entry', ({ peopleServices }) => peopleServices.entries.decide(manager, lockId, ids.card, { do: 'remove' })],
  ['restoring what is missing', ({ peopleServices }) => peopleServices.entries.decide(manager, lockId, ids.missing, { do: 'restore' })],
  ['accepting what is missing', ({ peopleServices }) => peopleServices.entries.decide(manager, lockId, ids.missing, { do: 'accept' })],
  ['accepting a stranger', ({ peopleServices }) => peopleServices.entries.decide(manager, lockId, ids.stranger, { do: 'accept' })],
  ['renaming a card', ({ cardService }) => cardService.rename(manager, lockId, ids.card, 'mine')],
  ['a card that waits for its lock', ({ cardService }) => cardService.add(manager, lockId, newCard, 'queue', gone)],
  ['a card that a phone has put', ({ cardService }) => cardService.add(manager, lockId, newCard, 'phone', gone)],
  ['other dates that wait', ({ cardService }) => cardService.changeValidity(manager, lockId, ids.card, dates, 'queue', gone)],
  ['other dates by a phone', ({ cardService }) => cardService.changeValidity(manager, lockId, ids.card, dates, 'phone', gone)],
  ['a removal that waits', ({ cardService }) => cardService.remove(manager, lockId, ids.card, 'queue', gone)],
  ['a removal by a phone', ({ cardService }) => cardService.remove(manager, lockId, ids.card, 'phone', gone)],
  ['renaming a passcode', ({ passcodes }) => passcodes.rename(manager, lockId, ids.passcode, 'mine')],
  ['times of a passcode that wait', ({ passcodes }) => passcodes.change(manager, lockId, ids.passcode, dates, 'queue', gone)],
  ['a removal of a passcode that waits', ({ passcodes }) => passcodes.remove(manager, lockId, ids.passcode, 'queue', gone)],
])('%s', async (_what, decide) => {
  const domain = await createDomain();
  const { entries, locks, drivers } = domain;
  Object.assign(drivers.ofKind('native') ?? {}, { capabilities: () => ({ ...bareCapabilities, passcodes: true }) });
  const code = { kind: 'passcode', number: '482913', held: surely(always) } as const;
  const all = [
    someEntry(ids.card),
    someEntry(ids.missing, { held: null, missing: true }),
    someStranger(ids.stranger),
    someEntry(ids.passcode, code),
  ];
  await entries.update(lockId, () => ({ put: all }));
  const { update } = entries;
  entries.update = async (of, change) => {
    await locks.update(lockId, (lock) => ({ ...lock, roles: lock.roles.filter(({ accountId }) => accountId !== manager.accountId) }));
    return update(of, change);
  };
  expect(await codeOf(() => decide(domain))).toBe('forbidden');
  expect((await entries.of(lockId)).entries).toEqual(all);
});
