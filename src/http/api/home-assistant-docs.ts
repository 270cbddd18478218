// Descriptions of the endpoints for Home Assistant for the OpenAPI document (HTTP API 8.11).
import type { TableDocs } from '../openapi/operation.ts';

export const homeAssistantDocs = {
  setHomeAssistantCode: {
    summary: 'Set the code that an UNLOCK from Home Assistant must carry',
    description:
      'In place of the one before. Home Assistant asks for it from then on; the gateway checks it. It is shown never again. LOCK needs none.',
    requiredRole: 'gateway administrator',
    refusals: ['storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'Four digits', body: { code: '4711' }, answer: { success: true } }],
  },
  removeHomeAssistantCode: {
    summary: 'Remove the code for Home Assistant',
    description: 'UNLOCK needs none from then on, as when there was none.',
    requiredRole: 'gateway administrator',
    refusals: ['storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'No code any more', answer: { success: true } }],
  },
} satisfies TableDocs;
