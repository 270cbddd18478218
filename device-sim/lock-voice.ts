// What a lock says to the gateway while it is connected.
import type { BatteryMessage, ReplyMessage, StateMessage } from '../src/drivers/native/messages.ts';

/** Where a lock speaks while it is connected. */
export interface LockVoice {
  state(message: StateMessage): void;
  battery(message: BatteryMessage): void;
  reply(message: ReplyMessage): void;
  /** There are new events in the memory, flushed. */
  eventsKept(): void;
  /** Resolves after the PUBACKs. */
  resendEvents(epoch: string, from: number, to: number): Promise<unknown>;
}
