// The port for sending messages to people.
import type { Attempt } from '../delivery/attempt.ts';

export interface OutgoingMessage {
  /** The same at each attempt of a message, also after a restart: letters, digits and hyphens. */
  readonly id: string;
  /** An address or a topic. */
  readonly to: string;
  /** One line, without control characters. */
  readonly title: string;
  readonly text: string;
  readonly isUrgent: boolean;
}

export interface NotificationAttempt extends Attempt {
  /** More than `reason` says, for the operator alone, such as the path of a file; absent: there is no more. */
  readonly operatorReason?: string;
}

export interface NotificationSender {
  /** Sends the message once, only to an allowed host, within its time-out. Never rejects. `status` is the code of the server's answer. */
  send(message: OutgoingMessage): Promise<NotificationAttempt>;
  /** Ends what is under way. */
  stop(): void;
}
