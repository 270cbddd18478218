// The people whom messages reach: they take everything, until a test says otherwise.
import type { NotificationAttempt, NotificationSender, OutgoingMessage } from '../../src/domain/notifications/notification-ports.ts';

export interface FakeMessages {
  readonly sender: NotificationSender;
  /** Every message, whatever became of it. */
  readonly all: readonly OutgoingMessage[];
  /** From now on. */
  answer: (message: OutgoingMessage) => NotificationAttempt | Promise<NotificationAttempt>;
}

export const arrived: NotificationAttempt = { delivered: true, status: 250, reason: '', ms: 1 };
export const nobody: NotificationAttempt = { delivered: false, status: null, reason: 'no answer: ECONNREFUSED', ms: 1 };

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
