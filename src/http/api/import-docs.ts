// Descriptions of the endpoints for import and export (HTTP API 12.5).
import type { TableDocs } from '../openapi/operation.ts';

const text = 'Person,Name,Card Number,From,To,Front door,Archive\nHR-4711,Erika M.,1325672378,2026-01-01,2026-12-31,Y,Office\n';
const parameters = { importId: '51f0c2a9e4b7d386' };
const plan = '9f2c61d0b7a34e58c1f7d2096ab3e4859f2c61d0b7a34e58c1f7d2096ab3e485';
const said = {
  lines: 512,
  people: { added: 3, updated: 2, unchanged: 507, extraneous: 4 },
  locks: [{ lockId: 7, added: 3, removed: 1, different: 2 }],
  removesMoreThanAQuarter: false,
};
const dryRun = { importId: parameters.importId, plan, ...said, errors: [], errorCount: 0 };
const nothing = { people: { added: 0, updated: 0, unchanged: 0, extraneous: 0 }, locks: [], removesMoreThanAQuarter: false };

export const importDocs = {
  exportAccess: {
    summary: 'People and their grants as a table',
    description:
      'What an import takes, and reads back as `unchanged`. `separator` is `comma`, `semicolon` or `tab`. All people, unless a page of them is asked for.',
    requiredRole: 'access manager',
    answers: { 200: { mediaType: 'text/csv' } },
    examples: [],
  },
  planImport: {
    summary: 'A dry run of an import',
    description:
      'Says what the table would change, and changes nothing. With one error it cannot be applied. `absent=revoke`: whoever is not in the table loses its doors. Needs manager on every lock at which it lets somebody in. `rate-limited`: too many are under way.',
    requiredRole: 'access manager',
    refusals: ['storage-unavailable'],
    answers: { 200: 'ImportPlan' },
    examples: [
      { title: 'A plan that can be applied', parameters: { absent: 'keep' }, text, answer: dryRun },
      {
        title: 'A wrong line',
        parameters: { absent: 'keep' },
        text: 'Person,From,To,Front door\nHR-4711,2026-02-01,2026-01-31,Y\n',
        answer: {
          ...{ importId: null, plan: null, lines: 1, ...nothing },
          ...{ errors: [{ line: 2, column: 'To', message: 'is before From' }], errorCount: 1 },
        },
      },
    ],
  },
  applyImport: {
    summary: 'Apply the plan of a dry run',
    description:
      'Answers when that is stored; it then goes on by itself, after a crash, too. `conflict`: this is not its plan, anything it is about has changed since, or another import is being applied.',
    requiredRole: 'access manager',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 202: 'Success' },
    examples: [{ title: 'The plan that was seen', parameters, body: { plan }, status: 202, answer: { success: true } }],
  },
  getImport: {
    summary: 'How far an import has come',
    description: 'A plan is there for an hour, what became of it for a day.',
    requiredRole: 'access manager',
    refusals: ['not-found'],
    answers: { 200: 'Import' },
    examples: [
      {
        title: 'One person had changed meanwhile',
        parameters,
        answer: {
          ...{ importId: parameters.importId, plan, state: 'done', absent: 'keep', ...said, changes: 5, done: 5 },
          conflicts: [{ line: 17, personId: 5, message: 'the person has changed meanwhile' }],
          ...{ conflictCount: 1, reason: '', createDate: 1_763_715_600_000, expireDate: 1_763_802_060_000 },
        },
      },
    ],
  },
} satisfies TableDocs;
