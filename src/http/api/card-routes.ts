// The routes of identity cards (Specification 4.2, HTTP API 6).
import type { Clock } from '../../domain/clock.ts';
import type { CardVia } from '../../domain/credentials/card.ts';
import type { CardService } from '../../domain/credentials/card-service.ts';
import { cardList } from '../pipeline/list-query.ts';
import { cardAdd, cardDelete, cardRename, cardValidity, oneCard, wholeLockList } from '../pipeline/query.ts';
import { type Answer, done, ok, type Route, route } from '../pipeline/route.ts';
import { createPageText } from './page-text.ts';
import { addedCardView, cardDetailView, cardOnLockView, cardView, pageView } from './views.ts';

/** Specification 4.2 and HTTP API 6. The service checks rights and existence, and talks to the lock. */
export function cardRoutes(cards: CardService, clock: Pick<Clock, 'now'>): readonly Route[] {
  const cardPage = createPageText(cardView);
  return [
    route('GET', '/api/v1/identity-card/list', 'listCards', cardList, async ({ caller, parameters: { lockId, wanted }, gone }) =>
      cardPage(await cards.list(caller, lockId, wanted, gone)),
    ),
    route(
      'POST',
      '/api/v1/identity-card/add',
      'addCard',
      cardAdd(() => clock.now()),
      async ({ caller, parameters: { lockId, card, via }, gone }) =>
        waiting(via, ok(addedCardView(await cards.add(caller, lockId, card, via, gone)))),
    ),
    route(
      'PUT',
      '/api/v1/identity-card/change-validity',
      'changeCardValidity',
      cardValidity,
      async ({ caller, parameters: { lockId, cardId, validity, via }, gone }) =>
        waiting(via, await done(cards.changeValidity(caller, lockId, cardId, validity, via, gone))),
    ),
    route('PUT', '/api/v1/identity-card/rename', 'renameCard', cardRename, ({ caller, parameters: { lockId, cardId, name } }) =>
      done(cards.rename(caller, lockId, cardId, name)),
    ),
    route(
      'DELETE',
      '/api/v1/identity-card/delete',
      'deleteCard',
      cardDelete,
      async ({ caller, parameters: { lockId, cardId, via }, gone }) =>
        waiting(via, await done(cards.remove(caller, lockId, cardId, via, gone))),
    ),
    route('GET', '/api/v1/identity-card/detail', 'cardDetail', oneCard, async ({ caller, parameters: { lockId, cardId } }) =>
      ok(cardDetailView(await cards.detail(caller, lockId, cardId))),
    ),
    route(
      'GET',
      '/api/v1/identity-card/on-lock',
      'listCardsOnLock',
      wholeLockList,
      async ({ caller, parameters: { lockId, page }, gone }) =>
        ok(pageView(await cards.onLock(caller, lockId, page, gone), cardOnLockView)),
    ),
  ];
}

/** What is done as soon as the lock can says so. */
function waiting(via: CardVia, answer: Answer): Answer {
  return via === 'queue' ? { ...answer, headers: ['Latchd-Entry-Status', 'pending'] } : answer;
}
