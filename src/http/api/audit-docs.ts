// Description of the audit log endpoint for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

export const auditDocs = {
  listAudit: {
    summary: 'What people changed',
    description: 'The newest first; also who tried in vain to unlock. Doors that were opened are in the records of their locks.',
    requiredRole: 'gateway administrator',
    refusals: ['storage-unavailable'],
    answers: { 200: 'AuditPage' },
    examples: [
      {
        title: 'A lock was registered, somebody tried to, and to unlock one that was offline',
        answer: {
          list: [
            {
              date: 1_763_715_700_000,
              username: 'alice',
              address: '10.0.0.5',
              action: 'lock-register',
              object: 'lock 7',
              detail: 'Front door',
              outcome: 'ok',
              missed: 0,
              count: 1,
              sessionId: null,
            },
            {
              date: 1_763_715_600_000,
              username: 'bob',
              address: '10.0.0.6',
              action: 'lock-register',
              object: 'device a4c1387f02e9',
              detail: 'Front door',
              outcome: 'forbidden',
              missed: 3,
              count: 1,
              sessionId: null,
            },
            {
              date: 1_763_715_500_000,
              username: 'bob',
              address: '10.0.0.6',
              action: 'unlock',
              object: 'lock 7',
              detail: '',
              outcome: 'lock-offline',
              missed: 0,
              count: 4,
              sessionId: null,
            },
          ],
          pageNo: 1,
          pageSize: 100,
          pages: 1,
          total: 3,
        },
      },
    ],
  },
} satisfies TableDocs;
