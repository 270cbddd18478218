// Descriptions of the console's files for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

export const consoleDocs = {
  consolePage: {
    summary: 'The console, for people',
    requiredRole: 'nobody',
    answers: { 200: { mediaType: 'text/html' }, 304: 'nothing' },
    examples: [],
  },
  consoleFile: {
    summary: 'What the console needs',
    description: 'Its name changes with what it holds, so it may be kept for ever.',
    requiredRole: 'nobody',
    refusals: ['not-found'],
    answers: { 200: { mediaType: '*/*' }, 304: 'nothing' },
    examples: [],
  },
} satisfies TableDocs;
