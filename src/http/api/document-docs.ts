// Descriptions of the document endpoints for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

export const documentDocs = {
  openApiDocument: {
    summary: 'This document',
    description: 'With `If-None-Match` it is answered by 304 while nothing has changed.',
    requiredRole: 'nobody',
    answers: { 200: { mediaType: 'application/json' }, 304: 'nothing' },
    examples: [],
  },
  asyncApiDocument: {
    summary: 'The lock protocol as an AsyncAPI 3 document',
    description: 'What locks and this gateway say to each other over MQTT.',
    requiredRole: 'nobody',
    answers: { 200: { mediaType: 'application/json' }, 304: 'nothing' },
    examples: [],
  },
  docsPage: {
    summary: 'This document as a page to read and to try',
    description: 'Works without any network beyond this gateway.',
    requiredRole: 'nobody',
    answers: { 200: { mediaType: 'text/html' }, 304: 'nothing' },
    examples: [],
  },
  docsFile: {
    summary: 'What that page needs',
    requiredRole: 'nobody',
    refusals: ['not-found'],
    answers: { 200: { mediaType: 'text/*' }, 304: 'nothing' },
    examples: [],
  },
} satisfies TableDocs;
