// Descriptions of the board, and of the locking of a group, for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

const success = { success: true };

export const boardDocs = {
  getBoard: {
    summary: 'Your locks in their groups, what needs attention, and your favourites',
    description:
      'Operators see of the alarms `offline` and `low-battery`, and no last record. The answer has an `ETag`: a client that sends it as `If-None-Match` gets 304 ' +
      'while nothing on its board has changed. What changes comes by live events.',
    requiredRole: 'any account',
    answers: { 200: 'Board' },
    headers: { ETag: 'The version of this board, for `If-None-Match`.' },
    examples: [
      {
        title: 'A group with one lock, and another lock that is offline',
        answer: {
          groups: [
            {
              groupId: 2,
              name: 'Ground floor',
              position: 1,
              locks: [
                {
                  lockId: 7,
                  name: 'Front door',
                  state: 'unlocked',
                  stateSure: true,
                  stateAt: 1_763_715_600_000,
                  online: true,
                  battery: 83,
                  alarms: [],
                  passage: false,
                  autoLockAt: 1_763_715_605_000,
                  last: { recordType: 'unlock by IC card', username: 'Maria', success: 1, lockDate: 1_763_715_500_000 },
                },
              ],
            },
            {
              groupId: 0,
              name: '',
              position: 2,
              locks: [
                {
                  lockId: 4,
                  name: 'Cellar',
                  state: null,
                  stateSure: false,
                  stateAt: null,
                  online: false,
                  battery: null,
                  alarms: ['offline'],
                  passage: false,
                  autoLockAt: null,
                  last: null,
                },
              ],
            },
          ],
          attention: [{ lockId: 4, kind: 'offline', since: 1_763_715_000_000 }],
          favourites: [7],
        },
      },
    ],
  },
  orderGroups: {
    summary: 'Set the order of the groups on every board',
    description: 'Each is named once. Groups that are not named come behind, in the order that they had.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'The ground floor first', body: { groupIds: [2, 1, 5] }, answer: success }],
  },
  chooseFavourites: {
    summary: 'Choose the locks that you see first',
    description: 'At most 100, each once, on each of which you have a role.',
    requiredRole: 'any account',
    refusals: ['lock-not-found', 'forbidden', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Two of them', body: { lockIds: [7, 12] }, answer: success }],
  },
  lockGroup: {
    summary: 'Tell all doors of a group to lock now',
    description:
      'For who is a manager of each; `forbidden` names the first lock of which you are none. Each lock has a `result`: `locked`, `offline`, `busy`, `timeout` (its outcome is ' +
      'unknown), `not-supported`, `forbidden`, `gone`, `not-sent`, or its own word why it could not, such as `jammed`. Nothing is ever unlocked.',
    requiredRole: 'manager',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'LockedGroup' },
    examples: [
      {
        title: 'Two of three are locked now',
        parameters: { groupId: 2 },
        answer: {
          locks: [
            { lockId: 4, result: 'offline' },
            { lockId: 7, result: 'locked' },
            { lockId: 9, result: 'jammed' },
          ],
        },
      },
    ],
  },
} satisfies TableDocs;
