// The request that a webhook's receiver gets, for the OpenAPI document: the operation that an integrator implements.
import { memberDocs } from './field-descriptions.ts';

const record = {
  ...{ recordId: 1201, lockId: 7, serverDate: 1_763_715_501_000, recordType: 'unlock by IC card', success: 1 },
  ...{ keyboardPwd: '3123119183', lockDate: 1_763_715_500_000, username: 'Spare card' },
};

function header(name: string, description: string | undefined, schema: object) {
  return { name, in: 'header', required: true, description, schema };
}

export const deliveryRequest = {
  operationId: 'receiveDelivery',
  tags: ['Webhooks'],
  summary: 'What your program is sent',
  description:
    'By HTTP POST to the `url` of the webhook. Compare the signature and the time, refuse what is older than five minutes, answer first and work later. ' +
    'The same delivery may come more than once.',
  security: [],
  parameters: [
    header('Latchd-Webhook', memberDocs['webhookId'], { type: 'string', pattern: '^[1-9][0-9]*$' }),
    header('Latchd-Event', memberDocs['eventType'], { type: 'string' }),
    header('Latchd-Delivery', memberDocs['deliveryId'], { type: 'string' }),
    header('Latchd-Attempt', 'Which attempt it is, from 1.', { type: 'string', pattern: '^[1-9][0-9]*$' }),
    header('Latchd-Signature', 'Seconds since 1970, and in hex the HMAC-SHA256, with the secret, over those, a dot and the body.', {
      type: 'string',
      pattern: '^t=[0-9]+,v1=[0-9a-f]{64}$',
    }),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/WebhookDelivery' },
        examples: {
          record: {
            summary: 'A card at a door',
            value: { deliveryId: 'record-1201', eventType: 'record', eventDate: record.serverDate, data: record },
          },
        },
      },
    },
  },
  responses: {
    '2XX': { description: 'Taken.' },
    410: { description: 'No more, please: the webhook is switched off.' },
    default: { description: 'Not taken, as when no answer comes in time: it is tried again for 24 hours.' },
  },
};
