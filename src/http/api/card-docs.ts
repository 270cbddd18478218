// Descriptions of the identity card endpoints for the OpenAPI document (Specification 4.2, HTTP API 6).
import type { TableDocs } from '../openapi/operation.ts';

const lockId = 7;
const cardId = 41;
const success = { success: true };
const period = { startDate: 1_763_000_000_000, endDate: 1_793_000_000_000 };

const waits =
  'With `queue=1`, and only by the gateway, it is wanted from now on and answered at once with `Latchd-Entry-Status: pending`; the lock gets it as soon as it can.';

export const cardDocs = {
  listCards: {
    summary: 'The cards of a lock, by cardId',
    requiredRole: 'manager',
    answers: { 200: 'CardPage' },
    examples: [
      {
        title: 'One card',
        parameters: { lockId, pageNo: 1, pageSize: 10 },
        answer: {
          list: [
            {
              cardId,
              lockId,
              cardNumber: '3123119183',
              cardName: 'Spare card',
              ...period,
              createDate: 1_762_999_000_000,
              senderUsername: 'alice',
            },
          ],
          pageNo: 1,
          pageSize: 10,
          pages: 1,
          total: 1,
        },
      },
    ],
  },
  addCard: {
    summary: 'Add a card to a lock',
    description: `When a card does not open with one \`method\`, add it with the other. The answer is its cardId. ${waits}`,
    requiredRole: 'manager',
    refusals: [
      'card-exists',
      'conflict',
      'not-supported',
      'lock-refused',
      'lock-offline',
      'lock-busy',
      'lock-timeout',
      'storage-unavailable',
    ],
    answers: { 200: 'AddedCard' },
    examples: [
      {
        title: 'Always valid, its bytes reversed',
        parameters: { lockId, cardNumber: '1325672378', method: 'reverse', addType: 2, startDate: 0, endDate: 0, cardName: 'Spare card' },
        answer: { keyboardPwdId: cardId },
      },
    ],
  },
  changeCardValidity: {
    summary: 'Change from when to when a card is valid',
    description: waits,
    requiredRole: 'manager',
    refusals: [
      'card-not-found',
      'granted',
      'not-supported',
      'lock-refused',
      'lock-offline',
      'lock-busy',
      'lock-timeout',
      'storage-unavailable',
    ],
    answers: { 200: 'Success' },
    examples: [{ title: 'A period', parameters: { lockId, cardId, changeType: 2, ...period }, answer: success }],
  },
  renameCard: {
    summary: 'Rename a card',
    description: 'Names are the gateway’s own: the lock is not asked, whatever `changeType` says.',
    requiredRole: 'manager',
    refusals: ['card-not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Another name', parameters: { lockId, cardId, cardName: 'Cleaner', changeType: 2 }, answer: success }],
  },
  deleteCard: {
    summary: 'Take a card off a lock',
    description: `That the lock no longer had it is no error. ${waits}`,
    requiredRole: 'manager',
    refusals: [
      'card-not-found',
      'granted',
      'not-supported',
      'lock-refused',
      'lock-offline',
      'lock-busy',
      'lock-timeout',
      'storage-unavailable',
    ],
    answers: { 200: 'Success' },
    examples: [{ title: 'By the gateway', parameters: { lockId, cardId, deleteType: 2 }, answer: success }],
  },
  cardDetail: {
    summary: 'A card, in its other representation',
    requiredRole: 'manager',
    refusals: ['card-not-found'],
    answers: { 200: 'CardDetail' },
    examples: [
      {
        title: 'A card with a period',
        parameters: { lockId, cardId },
        answer: {
          keyboardPwdId: cardId,
          lockId,
          keyboardPwd: '3123119183',
          keyboardPwdName: 'Spare card',
          keyboardPwdType: 3,
          ...period,
          sendDate: 1_762_999_000_000,
          senderUsername: 'alice',
        },
      },
    ],
  },
  listCardsOnLock: {
    summary: 'The cards that the lock itself holds, asked now',
    requiredRole: 'manager',
    refusals: ['not-supported', 'lock-refused', 'lock-offline', 'lock-busy', 'lock-timeout'],
    answers: { 200: 'CardOnLockPage' },
    examples: [
      {
        title: 'One that the gateway knows, and one that it does not',
        parameters: { lockId },
        answer: {
          list: [
            { cardNumber: '3123119183', ...period, known: true },
            { cardNumber: '5550001', startDate: 0, endDate: 0, known: false },
          ],
          pageNo: 1,
          pageSize: 1000,
          pages: 1,
          total: 2,
        },
      },
    ],
  },
} satisfies TableDocs;
