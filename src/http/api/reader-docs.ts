// Descriptions of the endpoints for readers (HTTP API 12.7 and 12.8).
import type { TableDocs } from '../openapi/operation.ts';

const enrolmentId = 'sample-enrolment';
const closeDate = 1_763_715_760_000;
const found = { enrolmentId, personId: 5, lockId: 7, state: 'found', closeDate, cardEnds: '2378', width: 4 };

export const readerDocs = {
  listSuggestions: {
    summary: 'Readers that seem to give cards reversed',
    description:
      'Of the locks on which the caller is manager. A card was refused whose reversed bytes are one card that is wanted on that very lock.',
    requiredRole: 'access manager',
    refusals: ['storage-unavailable'],
    answers: { 200: 'SuggestionPage' },
    examples: [
      {
        title: 'Two cards were refused at one lock',
        answer: {
          list: [
            {
              ...{ suggestionId: 3, lockId: 7, kind: 'byte-order', cards: 2, swipes: 5, since: 1_763_715_600_000 },
              ...{ readerOrder: 'reverse', directCards: 1 },
            },
          ],
          ...{ pageNo: 1, pageSize: 100, pages: 1, total: 1 },
        },
      },
    ],
  },
  acceptSuggestion: {
    summary: 'The reader does give cards reversed',
    description:
      'The lock gets every card of people under the number that its reader sees, and the direct cards that were refused; the old numbers go off first. It opens nothing and gives nobody another door. `not-found`: nothing speaks for it any more.',
    requiredRole: 'access manager',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'It does', parameters: { suggestionId: 3 }, answer: { success: true } }],
  },
  beginEnrolment: {
    summary: 'Wait for a card at a reader',
    description:
      'The next card that the lock refuses, live and known to nobody in any byte order, is found; it becomes nobody’s without a confirmation. `conflict`: an enrolment waits there already.',
    requiredRole: 'access manager',
    refusals: ['conflict', 'lock-offline'],
    answers: { 201: 'BegunEnrolment' },
    examples: [{ title: 'A minute', body: { personId: 5, lockId: 7, seconds: 60 }, status: 201, answer: { enrolmentId, closeDate } }],
  },
  getEnrolment: {
    summary: 'What has come of an enrolment',
    description: '`cardEnds` and `width` are there when a card was found. It can be read for five minutes after its end.',
    requiredRole: 'access manager',
    refusals: ['not-found'],
    answers: { 200: 'Enrolment' },
    examples: [{ title: 'A card was held to the reader', parameters: { enrolmentId }, answer: found }],
  },
  confirmEnrolment: {
    summary: 'This is the card',
    description:
      'It becomes a credential of the person. No grant comes of it. `conflict`: no card waits, it ends otherwise, or the person has ten credentials.',
    requiredRole: 'access manager',
    refusals: ['not-found', 'conflict', 'card-exists', 'storage-unavailable'],
    answers: { 201: 'EnrolledCredential' },
    examples: [
      { title: 'It ends in 2378', parameters: { enrolmentId }, body: { cardEnds: '2378' }, status: 201, answer: { credentialId: 13 } },
    ],
  },
  endEnrolment: {
    summary: 'Wait no longer',
    requiredRole: 'access manager',
    refusals: ['not-found'],
    answers: { 200: 'Success' },
    examples: [{ title: 'The card was left at home', parameters: { enrolmentId }, answer: { success: true } }],
  },
} satisfies TableDocs;
