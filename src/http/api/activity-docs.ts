// Description of the activity for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

export const activityDocs = {
  getActivity: {
    summary: 'What happened at the doors of which you are a manager, newest first',
    description:
      'By cursor: `next` is `before` of the next page, null when there is nothing more; a page may be shorter than `pageSize`, or empty, and have a `next` all the same. With nothing but ' +
      '`lockId`, `startDate` and `endDate` any span; else both dates at most 31 days apart, or none: the last 31 days. With `Accept: text/csv` a table of at most 100,000 lines. ' +
      '`personId` of a line is who has the card or passcode now and had it then; as a filter it is who had it at `lockDate`. A passcode never has its digits here.',
    requiredRole: 'any account',
    refusals: ['outside-retention', 'lock-not-found', 'forbidden', 'rate-limited', 'storage-unavailable'],
    answers: { 200: 'ActivityPage' },
    examples: [
      {
        title: 'A card that opened, and a passcode that did not',
        parameters: { pageSize: 50, groupId: 2 },
        answer: {
          list: [
            {
              recordId: 1201,
              lockId: 7,
              lockName: 'Front door',
              lockAlias: 'Entrance',
              serverDate: 1_763_715_501_000,
              recordType: 'unlock by IC card',
              kind: 'unlock',
              success: 1,
              keyboardPwd: '3123119183',
              lockDate: 1_763_715_500_000,
              lockDateSource: 'lock',
              username: 'Spare card',
              personId: 5,
              personName: 'Erika M.',
              reason: null,
            },
            {
              recordId: 1200,
              lockId: 7,
              lockName: 'Front door',
              lockAlias: 'Entrance',
              serverDate: 1_763_715_401_000,
              recordType: 'unlock by passcode',
              kind: 'refused',
              success: 0,
              keyboardPwd: '',
              lockDate: 1_763_715_400_000,
              lockDateSource: 'lock',
              username: '',
              personId: null,
              personName: null,
              reason: 'unknown-credential',
            },
          ],
          next: 1200,
        },
      },
    ],
  },
} satisfies TableDocs;
