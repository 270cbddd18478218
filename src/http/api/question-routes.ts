// The routes of the questions of the day after (HTTP API 12.9).
import { z } from 'zod';
import type { Opener } from '../../domain/access/openers.ts';
import type { AccessQuestions, OpenerQuestion } from '../../domain/access/questions.ts';
import { isInOrder } from '../../domain/credentials/card.ts';
import type { LockId } from '../../domain/locks/lock.ts';
import { cardNumber, id, integer, millis } from '../pipeline/fields.ts';
import { ok, type Route, route } from '../pipeline/route.ts';
import { validate, whenValid } from '../pipeline/validate.ts';
import type { ResponseBody } from './response-schemas.ts';
import { pageView, recordView } from './views.ts';

const lockId = id<LockId>();
const page = { pageNo: integer().default(1), pageSize: integer(1, 1000).default(100) };
const mostDaysMs = 31 * 86_400_000;

const whoAsked = validate(
  z.object({ lockId, date: millis, knownAt: millis.exactOptional(), ...page }),
  ({ pageNo, pageSize, ...question }) => ({
    question,
    page: { pageNo, pageSize },
  }),
);

const subjects = ['credentialId', 'personId', 'cardNumber'] as const;

const whereAsked = validate(
  z
    .object({
      credentialId: integer().exactOptional(),
      personId: integer().exactOptional(),
      cardNumber: cardNumber.exactOptional(),
      date: millis,
      ...page,
    })
    .refine((asked) => subjects.filter((name) => asked[name] !== undefined).length === 1, {
      path: ['credentialId'],
      error: 'or personId or cardNumber must be given, and only one of them',
      when: whenValid(...subjects),
    }),
  ({ pageNo, pageSize, ...question }) => ({ question: question as OpenerQuestion, page: { pageNo, pageSize } }),
);

const range = { startDate: millis, endDate: millis };
const inOrder = { path: ['endDate'], error: 'must not be before startDate', when: whenValid('startDate', 'endDate') };

const recordsAsked = validate(
  z
    .object({ personId: integer(), ...range, ...page })
    .refine(isInOrder, inOrder)
    .refine(({ startDate, endDate }) => endDate - startDate <= mostDaysMs, {
      ...inOrder,
      error: 'must be 31 days after startDate at most',
    }),
  ({ pageNo, pageSize, ...question }) => ({ question, page: { pageNo, pageSize } }),
);

const completenessAsked = validate(z.object({ lockId, ...range }).refine(isInOrder, inOrder), (question) => question);

/** For managers of the locks; the service checks that. */
export function questionRoutes(questions: AccessQuestions): readonly Route[] {
  return [
    route('GET', '/api/v1/access/who', 'whoCouldOpen', whoAsked, async ({ caller, parameters: { question, page } }) => {
      const { superPasscode, strangers, ...found } = await questions.who(caller, question, page);
      return ok({ ...pageView(found, openerView), superPasscode, strangers } satisfies ResponseBody<'OpenerPage'>);
    }),
    route('GET', '/api/v1/access/where', 'whereCouldOpen', whereAsked, async ({ caller, parameters: { question, page } }) => {
      const { hiddenLocks, ...found } = await questions.where(caller, question, page);
      const view = pageView(found, (opener) => ({ lockId: opener.lockId, ...openerView(opener) }));
      return ok({ ...view, hiddenLocks } satisfies ResponseBody<'OpenedLockPage'>);
    }),
    route('GET', '/api/v1/access/records', 'whatPersonDid', recordsAsked, async ({ caller, parameters: { question, page } }) => {
      const { hiddenLocks, ...found } = await questions.records(caller, question, page);
      const view = pageView(found, ({ record, personId, credentialId }) => ({
        ...recordView(record),
        personId,
        credentialId,
      }));
      return ok({ ...view, hiddenLocks } satisfies ResponseBody<'PersonRecordPage'>);
    }),
    route('GET', '/api/v1/access/completeness', 'isAnythingMissing', completenessAsked, async ({ caller, parameters }) => {
      const { epochs, offline, clockDoubtful, ...found } = await questions.completeness(caller, parameters);
      const answer: ResponseBody<'Completeness'> = {
        ...found,
        epochs: epochs.map(({ missing, ...epoch }) => ({ ...epoch, missing: missing.map(([from, to]) => [from, to]) })),
        offline: offline.map(([from, to]) => [from, to]),
        clockDoubtful: clockDoubtful.map(([from, to]) => [from, to]),
      };
      return ok(answer);
    }),
  ];
}

function openerView({ personId, credentialId, entryId, kind, name, cardNumber, certain, because }: Opener): ResponseBody<'Opener'> {
  return { personId, credentialId, entryId, kind, name, cardNumber, certain, because };
}
