// TTLock's endpoints of identity cards.
import type { Clock } from '../../domain/clock.ts';
import type { CardService, NewCard } from '../../domain/credentials/card-service.ts';
import { DomainError } from '../../domain/errors.ts';
import type { PageRequest } from '../../domain/page.ts';
import { pageView } from '../api/views.ts';
import type { FacadeRoute } from '../pipeline/route.ts';
import type { TtlockEndpoints } from './endpoint.ts';
import { operationDone, ttlockCard } from './objects.ts';
import { orderedPage } from './ordered-page.ts';
import { ttlockCardAdd, ttlockCardDelete, ttlockCardPeriod, ttlockCardRename, ttlockOrderedPage } from './parameters.ts';

export function ttlockCardRoutes({ endpoint }: TtlockEndpoints, cards: CardService, clock: Pick<Clock, 'now'>): readonly FacadeRoute[] {
  const newCard = ttlockCardAdd(() => clock.now());
  const add = (path: string, byteOrder: NewCard['byteOrder']) =>
    endpoint(path, 'change', newCard, async ({ caller, parameters: { lockId, card, via, isCyclic }, gone }) => {
      requireNotCyclic(isCyclic);
      return { cardId: await cards.add(caller, lockId, { ...card, byteOrder }, via, gone) };
    });

  return [
    ...endpoint('/v3/identityCard/list', 'read', ttlockOrderedPage, async ({ caller, parameters }) => {
      const list = (page: PageRequest) => cards.list(caller, parameters.lockId, page);
      return pageView(await orderedPage(parameters, list, ({ cardNumber }) => cardNumber), ttlockCard);
    }),
    ...add('/v3/identityCard/add', 'regular'),
    ...add('/v3/identityCard/addForReversedCardNumber', 'reverse'),
    ...endpoint('/v3/identityCard/changePeriod', 'change', ttlockCardPeriod, async ({ caller, parameters, gone }) => {
      const { lockId, cardId, validity, via, isCyclic } = parameters;
      requireNotCyclic(isCyclic);
      await cards.changeValidity(caller, lockId, cardId, validity, via, gone);
      return operationDone;
    }),
    ...endpoint('/v3/identityCard/rename', 'change', ttlockCardRename, async ({ caller, parameters: { lockId, cardId, name } }) => {
      await cards.rename(caller, lockId, cardId, name);
      return operationDone;
    }),
    ...endpoint('/v3/identityCard/delete', 'change', ttlockCardDelete, async ({ caller, parameters: { lockId, cardId, via }, gone }) => {
      await cards.remove(caller, lockId, cardId, via, gone);
      return operationDone;
    }),
  ];
}

/** Ignored, such a card would open the door at all hours. */
function requireNotCyclic(isCyclic: boolean): void {
  if (isCyclic) throw new DomainError('not-supported', 'cards have no weekly hours here');
}
