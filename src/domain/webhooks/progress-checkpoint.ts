// When the progress of a webhook is written: at once for what could not be found again, else a little later, with all that came meanwhile.

import type { Notify } from '../domain-event.ts';
import type { Clock, WebhookStore } from '../ports.ts';
import { type FailedDelivery, type WebhookId, type WebhookProgress, withFailed } from './webhook.ts';

/** What nobody would miss after a crash, because it is done again, is written so much later. */
const writeDelayMs = 5_000;

export interface WebhookKeeper {
  now(): void;
  /** Resolves when what `now` was called for so far is written, or could not be. Never rejects. */
  written(): Promise<void>;
  later(): void;
  /** To be kept with the next write. */
  failed(delivery: FailedDelivery): void;
  /** Writes what there is to write; nothing more afterwards. */
  stop(): Promise<void>;
}

export function createWebhookKeeper(options: {
  readonly clock: Clock;
  readonly webhooks: WebhookStore;
  readonly webhookId: WebhookId;
  readonly notify: Notify;
  /** As it is now, but for what failed. */
  readonly progress: () => Omit<WebhookProgress, 'failed' | 'forgotten'>;
}): WebhookKeeper {
  const { clock, webhooks, webhookId, notify, progress } = options;
  let failed: FailedDelivery[] = [];
  let cancel: (() => void) | undefined;
  let writing: Promise<void> | undefined;
  let isChanged = false;
  let isStopped = false;
  /** Who waits for the write that is under way, and for the one after it. */
  const forThis: (() => void)[] = [];
  const forNext: (() => void)[] = [];

  function later(): void {
    if (!isStopped) cancel ??= clock.timer(writeDelayMs, now);
  }
  function now(): void {
    isChanged = true;
    cancel?.();
    cancel = undefined;
    writing ??= writeAll();
  }
  function written(): Promise<void> {
    if (writing === undefined) return Promise.resolve();
    return new Promise((resolve) => (isChanged ? forNext : forThis).push(resolve));
  }
  async function writeAll(): Promise<void> {
    while (isChanged) {
      isChanged = false;
      forThis.push(...forNext.splice(0));
      if (!(await write())) break;
      release(forThis);
    }
    writing = undefined;
    release(forThis);
    release(forNext);
  }
  /** False when the disk took nothing. */
  async function write(): Promise<boolean> {
    const given = failed;
    failed = [];
    try {
      await webhooks.update(webhookId, (kept) => ({ ...kept, progress: withFailed({ ...kept.progress, ...progress() }, given) }));
      if (given.length > 0) notify({ kind: 'deliveries-failed', webhookId, count: given.length });
      return true;
    } catch {
      // The disk, whose trouble is said elsewhere; or the webhook was removed.
      failed = [...given, ...failed];
      later();
      return false;
    }
  }
  function release(waiting: (() => void)[]): void {
    for (const done of waiting.splice(0)) done();
  }

  return {
    now,
    written,
    later,
    failed: (delivery) => void failed.push(delivery),
    async stop() {
      isStopped = true;
      now();
      await writing;
    },
  };
}
