// The way of a request into a facade (`http/ttlock`), which says itself how urgent the request is, and whose.
import type { AccountId } from '../../domain/accounts/account.ts';
import { strangersBytesAtMost } from './json-body.ts';
import type { RequestContext } from './request-context.ts';
import type { RequestScheduler } from './request-scheduler.ts';
import type { FacadeRoute } from './route.ts';

export interface FacadeAdmissionPorts {
  readonly turns: Pick<RequestScheduler, 'take'>;
  /** A valid token of this account was found in a request. */
  readonly onKnown: (context: RequestContext, accountId: AccountId) => void;
  readonly respond: (context: RequestContext) => Promise<void>;
  readonly refuse: (context: RequestContext, error: unknown) => void;
}

/** Takes in a request for a facade, and answers or refuses it when its turn comes. Never rejects. */
export type AdmitToFacade = (context: RequestContext, facade: FacadeRoute) => Promise<void>;

export function createFacadeAdmission({ turns, onKnown, respond, refuse }: FacadeAdmissionPorts): AdmitToFacade {
  function refuseInTurn(context: RequestContext, error: unknown): void {
    turns.take('stranger', () => refuse(context, error));
  }
  function judge(context: RequestContext, facade: FacadeRoute, body: string): void {
    const { request } = context;
    try {
      const admission = facade.admit(request, body);
      const { rank, caller } = admission;
      context.admission = admission;
      context.account = caller?.username;
      if (caller !== undefined) onKnown(context, caller.accountId);
      turns.take(rank, () => void respond(context));
    } catch (error) {
      refuseInTurn(context, error);
    }
  }

  // A facade authenticates by what may stand in the body, so that must be there before anybody knows how urgent the request is.
  return async (context, facade) => {
    try {
      const body = await facade.readBody(context.request);
      // Looking through a large one of a stranger must not hold up those who are known.
      if (body.length > strangersBytesAtMost) turns.take('stranger', () => judge(context, facade, body));
      else judge(context, facade, body);
    } catch (error) {
      refuseInTurn(context, error);
    }
  };
}
