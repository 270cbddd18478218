// The documents of the API, for the document of the API.
import type { TableDocs } from './operation.ts';

export const documentDocs = {
  openApiDocument: {
    summary: 'This document',
    audience: 'nobody',
    answers: { 200: { mediaType: 'application/json' } },
    examples: [],
  },
} satisfies TableDocs;
