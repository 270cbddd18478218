// Descriptions of the hub endpoints for the OpenAPI document (HTTP API 8.2).
import type { TableDocs } from '../openapi/operation.ts';

const deviceId = 'a4c1387f02f0';
const issued = { deviceId, deviceKey: 'sample-device-key' };

export const hubDocs = {
  registerHub: {
    summary: 'Register a hub',
    description: 'A hub speaks for the locks bound to it. Its key is shown this once. `conflict`: a lock or a hub has that MAC address.',
    requiredRole: 'gateway administrator',
    refusals: ['conflict', 'storage-unavailable'],
    answers: { 201: 'IssuedHubKey' },
    examples: [{ title: 'A hub', body: { mac: 'A4:C1:38:7F:02:F0', name: 'Stairwell' }, status: 201, answer: issued }],
  },
  listHubs: {
    summary: 'The hubs',
    requiredRole: 'gateway administrator',
    answers: { 200: 'HubPage' },
    examples: [
      {
        title: 'One hub with three locks',
        answer: {
          list: [{ deviceId, mac: 'A4:C1:38:7F:02:F0', name: 'Stairwell', online: true, locks: 3, date: 1_763_715_700_000 }],
          pageNo: 1,
          pageSize: 100,
          pages: 1,
          total: 1,
        },
      },
    ],
  },
  deleteHub: {
    summary: 'Delete a hub',
    description: '`conflict` while locks are bound to it.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'conflict', 'storage-unavailable'],
    answers: { 200: 'Success' },
    examples: [{ title: 'A hub without locks', parameters: { deviceId }, answer: { success: true } }],
  },
  renewHubKey: {
    summary: 'Make a new key for a hub',
    description: 'The old key, the connection of the hub and the sessions of its locks end at once. The key is shown this once.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'storage-unavailable'],
    answers: { 200: 'IssuedHubKey' },
    examples: [{ title: 'A new key', parameters: { deviceId }, answer: issued }],
  },
} satisfies TableDocs;
