// The route of live events (HTTP API 7).
import { invalidParameter } from '../../domain/errors.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { noParameters } from '../pipeline/query.ts';
import type { StreamRoute } from '../pipeline/route.ts';

export function eventRoutes(streams: EventStreams): readonly StreamRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/events',
      operation: 'liveEvents',
      parameters: noParameters,
      body: undefined,
      mediaType: 'text/event-stream',
      begin({ caller, headers, authenticate, open }) {
        const lastRecordId = recordIdOf(headers['last-event-id']);
        streams.requireRoom(caller);
        streams.begin({ response: open(), caller, lastRecordId, authenticate });
      },
    },
  ];
}

/**
 * Last-Event-ID: the last `id:` that the client got. Browsers and other clients of event streams send it by themselves when they reconnect.
 */
function recordIdOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  const id = typeof header === 'string' && /^\d{1,16}$/.test(header) ? Number(header) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw invalidParameter('Last-Event-ID', 'must be an id of this event stream');
  return id;
}
