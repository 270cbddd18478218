// One attempt to send a request on: what its deadline is on the clock of the leader, its turn to open a connection, and the way there and back.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountId } from '../../domain/accounts/account.ts';
import type { Clock } from '../../domain/clock.ts';
import type { StallDetector } from '../../domain/locks/stall-detector.ts';
import type { RequestEffect } from '../pipeline/effect.ts';
import type { Peer } from './peer.ts';
import { NotBegun, type RelayOptions, relay } from './relay.ts';

export interface SendOptions {
  /** Of a door: whoever asked has an answer a second after its deadline. */
  readonly effect: RequestEffect;
  /** Whether each answer ends its connection. */
  readonly isClosing: boolean;
  /** Called before the answer with the id that the other node gave the request, and the account if it has found a valid token. */
  readonly onAnswer: (requestId: string | undefined, accountId: AccountId | undefined) => void;
}

/** On the monotonic clock, in milliseconds. */
interface Times {
  readonly deadline: number;
  /** From when on it is not begun any more. */
  readonly giveUpAt: number;
}

/** How long after its deadline a door is answered here. */
const graceMs = 1_000;

/** `onStream`: called when the answer goes on until somebody ends it. What it makes rejects with `NotBegun` when the request cannot be sent. */
export function createAttempt({
  clock,
  stallDetector,
  onStream,
}: {
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>;
  readonly stallDetector: Pick<StallDetector, 'settled'>;
  readonly onStream: (response: ServerResponse) => void;
}) {
  return async (
    peer: Peer,
    { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
    { effect, isClosing, onAnswer }: SendOptions,
    { deadline, giveUpAt }: Times,
  ): Promise<void> => {
    const itsDeadline = () =>
      peer.itsTime(deadline).catch(() => {
        throw new NotBegun();
      });
    const onHead: RelayOptions['onHead'] = ({ requestId, accountId, isStream }) => {
      onAnswer(requestId, accountId);
      if (isStream) onStream(response);
    };
    await itsDeadline();
    const leave = await peer.takeTurn({ isDoor: effect === 'door', until: Math.min(deadline, giveUpAt), response });
    try {
      // Its turn may have come long after.
      await stallDetector.settled();
      if (response.destroyed) return;
      if (leave === undefined) throw new NotBegun();
      const expires = Math.floor(await itsDeadline());
      if (response.destroyed) return;
      const now = clock.monotonic();
      const times = { expires, endsInMs: effect === 'door' ? deadline + graceMs - now : undefined, beginsInMs: giveUpAt - now };
      await relay(peer, request, response, { effect, clock, ...times, isClosing, onConnection: leave, onHead }).catch((error) => {
        if (error instanceof NotBegun) peer.doubt();
        throw error;
      });
    } finally {
      leave?.();
    }
  };
}
