// The routes of the board (HTTP API 13.2), and of the locking of a group (HTTP API 13.5).
import type { Board, BoardService } from '../../domain/board/board-service.ts';
import type { GroupLockService } from '../../domain/board/group-lock.ts';
import { noParameters } from '../pipeline/query.ts';
import { bodyRoute, done, ok, type Route, route } from '../pipeline/route.ts';
import { boardLockView, chosenFavourites, groupOrder, oneGroup } from './board-schemas.ts';
import type { ResponseBody } from './response-schemas.ts';

/** Locks whose JSON is made in one turn of the event loop. */
const locksAtOnce = 100;

/** The services check the rights. */
export function boardRoutes(board: BoardService, groups: GroupLockService): readonly Route[] {
  return [
    route('GET', '/api/v1/board', 'getBoard', noParameters, ({ caller }) => ({
      version: board.version(caller),
      text: async () => boardText(await board.board(caller)),
    })),
    bodyRoute('PUT', '/api/v1/gateway/groups/order', 'orderGroups', noParameters, groupOrder, ({ caller, body: { groupIds } }) =>
      done(board.orderGroups(caller, groupIds)),
    ),
    bodyRoute('PUT', '/api/v1/account/favourites', 'chooseFavourites', noParameters, chosenFavourites, ({ caller, body: { lockIds } }) =>
      done(board.chooseFavourites(caller, lockIds)),
    ),
    route(
      ...(['POST', '/api/v1/gateway/groups/{groupId}/lock', 'lockGroup', oneGroup] as const),
      async ({ caller, parameters: { groupId }, gone }) => {
        const locks = (await groups.lockGroup(caller, groupId, gone)).map(({ lockId, result }) => ({ lockId, result }));
        return ok({ locks } satisfies ResponseBody<'LockedGroup'>);
      },
    ),
  ];
}

/** The board as JSON, made in pieces: other requests are answered between them. */
async function boardText({ groups, attention, favourites }: Board): Promise<string> {
  const texts: string[] = [];
  /** Locks whose JSON was made in this turn: there can be as many groups as locks. */
  let made = 0;
  for (const { groupId, name, locks } of groups) {
    const views: string[] = [];
    for (const lock of locks) {
      views.push(JSON.stringify(boardLockView(lock)));
      made += 1;
      if (made < locksAtOnce) continue;
      await nextTurn();
      made = 0;
    }
    // All of its locks may have gone meanwhile.
    if (views.length === 0) continue;
    const head = JSON.stringify({ groupId, name, position: texts.length + 1 } satisfies Partial<ResponseBody<'Board'>['groups'][number]>);
    texts.push(`${head.slice(0, -1)},"locks":[${views.join(',')}]}`);
  }
  const rest = {
    attention: attention.map(({ lockId, kind, since }) => ({ lockId, kind, since })),
    favourites: [...favourites],
  } satisfies Partial<ResponseBody<'Board'>>;
  return `{"groups":[${texts.join(',')}],${JSON.stringify(rest).slice(1)}`;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
