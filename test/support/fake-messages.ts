// The people whom messages reach: they take everything, until a test says otherwise.
import type { NotificationSender, OutgoingMessage } from '../../src/domain/notifications/notification-ports.ts';
import type { Attempt } from '../../src/domain/webhooks/delivery.ts';

export interface FakeMessages {
  readonly sender: NotificationSender;
  /** Every message, whatever became of it. */
  readonly all: readonly OutgoingMessage[];
  /** From now on. */
  answer: (message: OutgoingMessage) => Attempt | Promise<Attempt>;
}

export const arrived: Attempt = { delivered: true, status: 250, reason: '', ms: 1 };
export const nobody: Attempt = { delivered: false, status: null, reason: 'no answer: ECONNREFUSED', ms: 1 };

export function createFakeMessages(): FakeMessages {
  const all: OutgoingMessage[] = [];
  const messages: FakeMessages = {
    all,
    answer: () => arrived,
    sender: {
      async send(message) {
        all.push(message);
        return messages.answer(message);
      },
      stop: () => undefined,
    },
  };
  return messages;
}
