// Descriptions of the questions of the day after for the OpenAPI document (HTTP API 12.9).
import type { TableDocs } from '../openapi/operation.ts';

const envelope = { pageNo: 1, pageSize: 100, pages: 1, total: 1 };
const erika = {
  personId: 5,
  credentialId: 12,
  entryId: 41,
  kind: 'card',
  name: 'Erika M.',
  cardNumber: '1325672378',
  certain: true,
  because: 'held since 2025-11-20T08:00:00.000Z (reply), hours 12345 07:00-19:00',
} as const;
const swipe = {
  recordId: 8_123_001,
  lockId: 7,
  serverDate: 1_763_715_605_000,
  recordType: 'unlock by IC card',
  success: 1,
  keyboardPwd: '1325672378',
  lockDate: 1_763_715_600_000,
  username: 'Erika M.',
  personId: 5,
  credentialId: 12,
} as const;

export const questionDocs = {
  whoCouldOpen: {
    summary: 'Who could open a lock at a date',
    description:
      'The credentials first, then the accounts with a role. With `knownAt` as it was known then. Without `certain` it may have been otherwise; `because` says why.',
    requiredRole: 'manager',
    refusals: ['lock-not-found', 'storage-unavailable'],
    answers: { 200: 'OpenerPage' },
    examples: [
      {
        title: 'One card',
        parameters: { lockId: 7, date: 1_763_715_600_000 },
        answer: { list: [erika], ...envelope, superPasscode: true, strangers: 0 },
      },
    ],
  },
  whereCouldOpen: {
    summary: 'Which locks a credential, a person or a card could open at a date',
    description: 'A card in every byte order. Locks of which the caller is no manager are counted in `hiddenLocks`.',
    requiredRole: 'any account',
    refusals: ['storage-unavailable'],
    answers: { 200: 'OpenedLockPage' },
    examples: [
      {
        title: 'A card',
        parameters: { cardNumber: '1325672378', date: 1_763_715_600_000 },
        answer: { list: [{ lockId: 7, ...erika }], ...envelope, hiddenLocks: 1 },
      },
    ],
  },
  whatPersonDid: {
    summary: 'What a person did',
    description:
      "The records of the numbers that were this person's at their `lockDate`, whenever they arrived, the newest first; 31 days at most.",
    requiredRole: 'any account',
    refusals: ['storage-unavailable'],
    answers: { 200: 'PersonRecordPage' },
    examples: [
      {
        title: 'One swipe',
        parameters: { personId: 5, startDate: 1_763_700_000_000, endDate: 1_763_786_400_000 },
        answer: { list: [swipe], ...envelope, hiddenLocks: 0 },
      },
    ],
  },
  isAnythingMissing: {
    summary: 'Whether every event of a lock between two dates is there',
    description:
      'Complete when no number is missing and the lock has told everything since the end. `offline` and `clockDoubtful` end with null while they last.',
    requiredRole: 'manager',
    refusals: ['lock-not-found', 'storage-unavailable'],
    answers: { 200: 'Completeness' },
    examples: [
      {
        title: 'Three events are missing',
        parameters: { lockId: 7, startDate: 1_763_700_000_000, endDate: 1_763_715_600_000 },
        answer: {
          complete: false,
          records: 812,
          epochs: [{ epoch: '7d3f', from: 1, to: 815, missing: [[40, 42]], lost: true }],
          unheardAfter: null,
          offline: [[1_763_701_000_000, 1_763_702_000_000]],
          clockDoubtful: [],
        },
      },
    ],
  },
} satisfies TableDocs;
