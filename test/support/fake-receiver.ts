// The receiver of webhooks and the sender to it in one: it takes everything, until a test says what it answers.

import type { Attempt } from '../../src/domain/delivery/attempt.ts';
import type { WebhookPost, WebhookSender } from '../../src/domain/webhooks/webhook-ports.ts';

/** 204. */
export const taken: Attempt = { delivered: true, status: 204, reason: '', ms: 1 };
/** 500. */
export const refused: Attempt = { delivered: false, status: 500, reason: 'answered 500', ms: 1 };
/** It is not there. */
export const unreachable: Attempt = { delivered: false, status: null, reason: 'no answer: ECONNREFUSED', ms: 1 };

export interface FakeReceiver {
  readonly sender: WebhookSender;
  /** Everything that it was sent, whatever it answered. */
  readonly posts: readonly WebhookPost[];
  /** Ids of what it has taken, in that order. */
  taken(): readonly string[];
  /** From now on; a promise that does not resolve is a receiver that hangs. */
  answer: (post: WebhookPost) => Attempt | Promise<Attempt>;
}

export function createFakeReceiver(): FakeReceiver {
  const posts: WebhookPost[] = [];
  const done: string[] = [];
  const receiver: FakeReceiver = {
    posts,
    taken: () => done,
    answer: () => taken,
    sender: {
      refusal: (url) => (url.startsWith('http') ? undefined : 'must be a URL that begins with http:// or https://'),
      async send(post) {
        posts.push(post);
        const attempt = await receiver.answer(post);
        if (attempt.delivered) done.push(post.deliveryId);
        return attempt;
      },
      stop: () => undefined,
    },
  };
  return receiver;
}
