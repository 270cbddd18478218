// Sends messages to a topic of an ntfy server. Its form in JSON has no header that a name could break.
import type { NotificationSender } from '../../domain/notifications/notification-ports.ts';
import { firstLineOf, operatorReasonOf } from '../first-line.ts';
import { createHttpPoster, reasonOf } from '../http-post.ts';

const priority = { usual: 3, urgent: 4 };

export function createNtfySender(
  options: Parameters<typeof createHttpPoster>[0] & {
    readonly url: string;
    /** Its first line is the access token of the server. */
    readonly tokenFile?: string | undefined;
  },
): NotificationSender {
  const { url, tokenFile } = options;
  const poster = createHttpPoster(options);
  return {
    async send({ to, title, text, isUrgent }) {
      try {
        const token = tokenFile === undefined ? undefined : await firstLineOf('the token file', tokenFile);
        const body = JSON.stringify({ topic: to, title, message: text, priority: isUrgent ? priority.urgent : priority.usual });
        const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) };
        return await poster.send({ url, headers, body });
      } catch (error) {
        return { delivered: false, status: null, reason: reasonOf(error), ms: 0, ...operatorReasonOf(error) };
      }
    },
    stop: poster.stop,
  };
}
