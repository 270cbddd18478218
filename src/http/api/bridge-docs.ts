// Descriptions of the bridge endpoints for the OpenAPI document (HTTP API 8.10).
import type { TableDocs } from '../openapi/operation.ts';

export const bridgeDocs = {
  listBridges: {
    summary: 'The outside brokers over which locks of other makes are spoken to',
    description: 'In the order of the configuration. A driver has the members that it has there.',
    requiredRole: 'gateway administrator',
    answers: { 200: 'BridgePage' },
    examples: [
      {
        title: 'One bridge',
        answer: {
          list: [
            {
              ...{ name: 'house', url: 'mqtts://broker.example.org:8883', connected: true, since: 1_763_715_700_000, reason: '', locks: 2 },
              drivers: [{ kind: 'zigbee2mqtt', base: 'zigbee2mqtt', online: true }],
            },
          ],
          ...{ pageNo: 1, pageSize: 100, pages: 1, total: 1 },
        },
      },
    ],
  },
} satisfies TableDocs;
