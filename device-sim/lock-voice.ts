// What a lock sends to the gateway while it is connected.
import { randomBytes } from 'node:crypto';
import type { BatteryMessage, ReplyMessage, StateMessage } from '../src/drivers/native/messages.ts';

/** Where a lock sends while it is connected. */
export interface LockVoice {
  state(message: StateMessage): void;
  battery(message: BatteryMessage): void;
  reply(message: ReplyMessage): void;
  /** The memory has new events, and they are flushed. */
  eventsKept(): void;
  /** Resolves after the PUBACKs. */
  resendEvents(epoch: string, from: number, to: number): Promise<unknown>;
}

/** A new one for each connect (Protocol 4.1). */
export function randomSession(): string {
  return randomBytes(9).toString('base64url');
}
