// Descriptions of the endpoints for Home Assistant for the OpenAPI document (HTTP API 8.11).
import type { TableDocs } from '../openapi/operation.ts';

export const homeAssistantDocs = {
  homeAssistant: {
    summary: 'How Home Assistant is reached, and what it asked for in vain',
    description:
      'While it is not configured, `enabled` is false, and there is no account and no lock. `refused` counts refused commands by their reason since the start.',
    requiredRole: 'gateway administrator',
    answers: { 200: 'HomeAssistant' },
    examples: [
      {
        title: 'Two commands that came too late',
        answer: {
          ...{ enabled: true, connected: true, gatewayId: '3f9c0a17', locks: 12, lastError: null, refused: { late: 2 } },
          ...{ account: 'home-assistant', commands: true, hasCode: false },
          lastRefusal: { lockId: 7, reason: 'late', at: 1_763_715_600_000 },
        },
      },
    ],
  },
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
