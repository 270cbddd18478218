// Descriptions of the health and metrics endpoints for the OpenAPI document (HTTP API 9).
import type { TableDocs } from '../openapi/operation.ts';

export const healthDocs = {
  health: {
    summary: 'Whether the process answers',
    requiredRole: 'nobody',
    answers: { 200: 'Health' },
    examples: [{ title: 'It does', answer: { status: 'ok' } }],
  },
  readiness: {
    summary: 'Whether doors are served, else 503',
    description: '`parts` says of each part `ok` or what is wrong; the addresses are there when it serves.',
    requiredRole: 'nobody',
    answers: { 200: 'Readiness', 503: 'Readiness' },
    examples: [{ title: 'Ready', answer: { ready: true, parts: { store: 'ok', mqtt: 'ok' }, since: 1_763_715_600_000 } }],
  },
  metrics: {
    summary: 'Figures for Prometheus',
    description: 'There when the configuration says so.',
    requiredRole: 'nobody',
    answers: { 200: { mediaType: 'text/plain' } },
    examples: [],
  },
} satisfies TableDocs;
