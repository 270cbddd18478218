// One endpoint of TTLock's cloud: its checks in TTLock's order (client, token, date, its own parameters), and its answer. The services then check
// existence and rights.
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../domain/accounts/account.ts';
import type { CancelSignal } from '../../domain/cancel-signal.ts';
import type { Clock } from '../../domain/clock.ts';
import { DomainError } from '../../domain/errors.ts';
import type { HubService } from '../../domain/locks/hub.ts';
import { hubOf } from '../../domain/locks/hub.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import type { LockService } from '../../domain/locks/lock-service.ts';
import { isLoopback } from '../../domain/origin.ts';
import type { Log } from '../../domain/part.ts';
import { createRateLimitedLog } from '../../domain/rate-limited-log.ts';
import type { TtlockAccess } from '../../domain/ttlock/ttlock-access.ts';
import type { Guard } from '../pipeline/authenticate.ts';
import { clientOf } from '../pipeline/client.ts';
import type { RequestEffect } from '../pipeline/effect.ts';
import { invalidParameters } from '../pipeline/problem.ts';
import type { Admission, FacadeRoute, StreamedAnswer, TextAnswer } from '../pipeline/route.ts';
import type { Validated } from '../pipeline/validate.ts';
import { TtlockError, ttlockProblemOf } from './errors.ts';
import { createFormReader, type FormValues, formValues } from './forms.ts';

/** A request that is allowed; `gone` is aborted when the client closes the connection before its answer. */
export interface TtlockAsked<P> {
  readonly caller: Caller;
  readonly parameters: P;
  readonly gone: CancelSignal;
}

/** What an endpoint answers: the members of its object, or the pieces of its JSON. */
type TtlockAnswer = object | AsyncIterable<string>;

/** Makes the two routes of an endpoint, since all take GET and POST. */
export interface TtlockEndpoints {
  endpoint<P extends object>(
    path: string,
    effect: RequestEffect,
    parameters: Validated<P>,
    handle: (asked: TtlockAsked<P>) => TtlockAnswer | Promise<TtlockAnswer>,
  ): readonly FacadeRoute[];
  /** An endpoint that has no token: it judges everything itself. `names` are those of its parameters. */
  open(
    path: string,
    names: readonly string[],
    handle: (values: FormValues, request: IncomingMessage) => Promise<OpenAnswer>,
  ): readonly FacadeRoute[];
}

interface OpenAnswer {
  readonly body: object;
  /** Who has signed in, for the log. */
  readonly account?: string;
}

/** The `date` of a request may differ from the gateway's clock by so much: older ones are replays, or waited on their way. */
const nearMs = 5 * 60_000;
const everyName = ['clientId', 'accessToken', 'date'] as const;

export function createTtlockEndpoints(options: {
  readonly access: Pick<TtlockAccess, 'callerOf'>;
  /** Of wrong access tokens. */
  readonly guard: Guard;
  readonly clock: Clock;
  readonly clockIsSuspect: () => boolean;
  readonly log: Log;
  readonly locks: Pick<LockService, 'get'>;
  readonly hubs: Pick<HubService, 'find'>;
}): TtlockEndpoints {
  const { access, guard, clock, clockIsSuspect, locks, hubs } = options;
  const limited = createRateLimitedLog(options);
  const readBody = createFormReader();

  function requireSafeWay(request: IncomingMessage): void {
    const { address, isOverTls } = clientOf(request);
    if (isOverTls || isLoopback(address)) return;
    const message = 'a program asked as it asks TTLock, over plain http from another machine, and was refused: it must use https';
    limited.warn('over-http', { code: 'ttlock-over-http', address }, message);
    throw new DomainError('forbidden', 'over plain http this is for programs on this machine alone: use https');
  }

  /** While the gateway doubts its own clock no date proves that an unlock is new, and a wrong clock must hide nothing. */
  function requireNear(text: string, effect: RequestEffect): void {
    const isDate = /^\d{1,16}$/.test(text);
    const isNear = isDate && Math.abs(clock.now() - Number(text)) <= nearMs;
    const isSuspect = clockIsSuspect();
    if (isSuspect ? (effect === 'read' && isDate) || (effect === 'change' && isNear) : isNear) return;
    if (isSuspect && effect === 'door')
      throw new TtlockError(80000, 'the clock of the gateway is probably wrong: no door is moved', 'clock-suspect');
    throw new TtlockError(80000, 'date must be the current time in milliseconds, within 5 minutes', 'date-refused');
  }

  /** Behind a hub, what the lock is not ready for is said of the hub. */
  function ofHub(error: unknown, caller: Caller, lockId: LockId | undefined): unknown {
    if (!(error instanceof DomainError) || lockId === undefined || (error.code !== 'lock-offline' && error.code !== 'lock-busy'))
      return error;
    const hubId = hubOf(locks.get(caller, lockId).lock);
    if (hubId === null) return error;
    if (error.code === 'lock-busy') return new TtlockError(-3003, 'The gateway is busy, please try again later', error.code);
    return hubs.find(hubId)?.online === true ? error : new TtlockError(-3002, 'The gateway is offline', error.code);
  }

  function route(
    path: string,
    effect: RequestEffect,
    admit: (request: IncomingMessage, body: string) => Admission,
  ): readonly FacadeRoute[] {
    return (['GET', 'POST'] as const).map((method) => ({ method, path, effect, requireSafeWay, readBody, admit, refusal: ttlockRefusal }));
  }

  return {
    endpoint(path, effect, own, handle) {
      const names = new Set([...everyName, ...own.names]);
      return route(path, effect, (request, body) => {
        const form = formValues(request.url ?? '', body, names);
        const clientId = textOf(form, 'clientId');
        const authenticated = guard.check(request, () => access.callerOf({ clientId, accessToken: textOf(form, 'accessToken') }));
        const caller = { ...authenticated, address: clientOf(request).address };
        return {
          rank: effect === 'door' ? 'door' : 'known',
          caller,
          read() {
            requireNear(textOf(form, 'date'), effect);
            const problems = [...form.problems];
            const parameters = own.read(form.values, problems);
            if (parameters === undefined || problems.length > 0) throw invalidParameters(problems);
            const { lockId } = parameters as { readonly lockId?: LockId };
            return {
              parameters: form.values,
              async handle(gone) {
                try {
                  return answerOf(await handle({ caller, parameters, gone }));
                } catch (error) {
                  throw ofHub(error, caller, lockId);
                }
              },
            };
          },
        };
      });
    },

    open: (path, names, handle) =>
      route(path, 'change', (request, body) => ({
        rank: 'stranger',
        caller: undefined,
        read: () => ({
          parameters: {},
          async handle() {
            const { body: answer, account } = await handle(formValues(request.url ?? '', body, new Set(names)), request);
            return { ...textAnswer(answer), ...(account !== undefined && { account }) };
          },
        }),
      })),
  };
}

/** The text of a parameter, "" when it is absent. Throws `invalid-parameter` when it is there and cannot be read. */
export function textOf({ values, problems }: FormValues, name: string): string {
  const problem = problems.find(({ parameter }) => parameter === name);
  if (problem !== undefined) throw invalidParameters([problem]);
  return values[name] ?? '';
}

/** A token stands in the address of most requests, so no other page may learn that. */
const headers = ['Referrer-Policy', 'no-referrer'];
const contentType = 'application/json;charset=UTF-8';

function answerOf(answer: TtlockAnswer): TextAnswer | StreamedAnswer {
  return Symbol.asyncIterator in answer ? { contentType, headers, pieces: answer } : textAnswer(answer);
}

function textAnswer(body: object): TextAnswer {
  return { contentType, headers, text: JSON.stringify(body) };
}

function ttlockRefusal(error: unknown): ReturnType<FacadeRoute['refusal']> {
  const problem = ttlockProblemOf(error);
  if (problem === undefined) return undefined;
  const { errcode, errmsg, code } = problem;
  return { code, answer: textAnswer({ errcode, errmsg, description: errmsg }) };
}
