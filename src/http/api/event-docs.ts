// Description of the live events endpoint for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

export const eventDocs = {
  liveEvents: {
    summary: 'What happens at your locks, the moment it happens',
    description:
      'Server-sent events: `lock` for every lock in your sight, `alarm` for each that is active, then `ready`, then `state`, `state-sure`, `battery`, `online`, ' +
      '`lock`, `lock-gone` and, for managers, `alarm`, `alarm-ended`, `card` and `record`. With the header `Last-Event-ID` also the records since that one. ' +
      'There is no event for cards that are there already: ask for their list. `LiveEvent` says what each event holds: its fields `event` and `data`, of which ' +
      '`data` is the text of that JSON, and where it is there `id`.',
    requiredRole: 'any account',
    answers: { 200: { mediaType: 'text/event-stream', streamOf: 'LiveEvent' } },
    examples: [],
  },
} satisfies TableDocs;
