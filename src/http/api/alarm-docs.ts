// Descriptions of the alarm endpoints for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

export const alarmDocs = {
  listAlarms: {
    summary: 'The alarms that stand',
    description:
      'The newest first. Gateway administrators see all of them, others those of the locks on which they are managers or administrator.',
    requiredRole: 'any account',
    answers: { 200: 'AlarmPage' },
    examples: [
      {
        title: 'One of a lock, one of the gateway',
        answer: {
          list: [
            { kind: 'tampered', lockId: 7, since: 1_763_715_700_000, reason: 'somebody tampered with it', endsByItself: false },
            {
              kind: 'clock-suspect',
              lockId: null,
              since: 1_763_715_600_000,
              reason: 'the clock of the gateway is probably wrong',
              endsByItself: true,
            },
          ],
          pageNo: 1,
          pageSize: 100,
          pages: 1,
          total: 2,
        },
      },
    ],
  },
  endAlarm: {
    summary: 'End an alarm: a person has seen to it',
    description: '`conflict`: it ends by itself when its cause is gone.',
    requiredRole: 'manager or gateway administrator',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Somebody went there', parameters: { kind: 'tampered', lockId: 7 }, answer: { success: true } }],
  },
} satisfies TableDocs;
