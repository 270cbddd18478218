// Descriptions of the endpoints for lost credentials (HTTP API 12.6).
import type { TableDocs } from '../openapi/operation.ts';

const parameters = { credentialId: 12 };
const report = {
  ...{ revocationId: 4, credentialId: 12, personId: 5, lostDate: 1_763_715_600_000, certain: false, doors: { dead: 2, open: 1 } },
  reason: 'lost in town',
  foundDate: null,
  locks: [
    { lockId: 7, state: 'gone', proof: { basis: 'reply', date: 1_763_715_601_000, commandId: 'c81' } },
    { lockId: 9, state: 'ended', proof: { basis: 'validity', date: 1_763_000_000_000 } },
    {
      ...{ lockId: 4, state: 'offline', since: 1_763_715_000_000, lastSwipe: 1_763_714_000_000, admitsUntil: null, electricQuantity: 12 },
      do: ['bring it online', 'remove it with the phone, then deleteType=1'],
    },
  ],
  hiddenLocks: 0,
};

export const revocationDocs = {
  reportLostCredential: {
    summary: 'A credential is lost',
    description:
      'It is wanted nowhere from now on, and goes off every lock before anything else, also while the gateway is paused. The answer is the report, which fills itself. Reported again, it is the same report.',
    requiredRole: 'access manager',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Revocation' },
    examples: [{ title: 'Two doors are shut, one lock is away', parameters, body: { reason: 'lost in town' }, answer: report }],
  },
  reportLostCard: {
    summary: 'A card is lost, by its number',
    description:
      'In whatever byte order. Of a card that belongs to a person this is the loss of that credential; of any other it takes off what was put on locks directly under its number.',
    requiredRole: 'access manager',
    refusals: ['conflict', 'storage-unavailable'],
    answers: { 200: 'Revocation' },
    examples: [{ title: 'A card of a person', body: { cardNumber: '1325672378', reason: 'lost in town' }, answer: report }],
  },
  reportFoundCredential: {
    summary: 'A credential was found again',
    description: "The person's grants hold again, so this needs manager on every lock that they reach. `conflict`: it is not lost.",
    requiredRole: 'access manager',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'It was in the other coat', parameters, answer: { success: true } }],
  },
  reportFoundCard: {
    summary: 'A card of nobody was found again',
    description: 'What was taken off locks stays off them. `conflict`: it is the credential of a person.',
    requiredRole: 'access manager',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'A card without a person', body: { cardNumber: '1325672378' }, answer: { success: true } }],
  },
  getRevocationOfCredential: {
    summary: 'The report on a lost credential',
    description: 'The newest one. Locks on which the caller is not manager are counted in `hiddenLocks`.',
    requiredRole: 'access manager',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Revocation' },
    examples: [{ title: 'One lock is away', parameters, answer: report }],
  },
  getRevocation: {
    summary: 'A report on something lost, by its id',
    requiredRole: 'access manager',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Revocation' },
    examples: [{ title: 'One lock is away', parameters: { revocationId: 4 }, answer: report }],
  },
} satisfies TableDocs;
