// Sends requests on to the node that serves, from one that does not: status, headers, body and stream go both ways as they are.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountId } from '../../domain/accounts/account.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import type { StallDetector } from '../../domain/locks/stall-detector.ts';
import type { Log } from '../../domain/part.ts';
import { OutcomeUnknown, type RequestEffect } from '../pipeline/effect.ts';
import { createPeer, type Peer, type PeerIdentity } from './peer.ts';
import { type RelayOptions, relay, unreachable } from './relay.ts';

/** The node that serves. */
export interface ServingNode {
  /** Of its process. */
  readonly incarnation: string;
  readonly name: string;
  /** `https://HOST:PORT`; null: other nodes do not reach it. */
  readonly url: string | null;
}

export interface Forwarding {
  /** From now on requests are sent on. */
  start(identity: PeerIdentity): void;
  /** Ends the streams that go on until somebody ends them. */
  cut(): void;
  /** Ends all requests under way. */
  stop(): void;
  /** Whether there is a node to which this request may go. */
  isPossible(): boolean;
  /** The name of the node to which requests go; null when none answers. */
  forwardsTo(): string | null;
  /**
   * Resolves when the answer is sent, or the client has left. Rejects with `storage-unavailable` when nothing was done or nobody knows, and
   * with `lock-timeout` when nobody knows and the request is for a door; then no answer was begun.
   */
  send(request: IncomingMessage, response: ServerResponse, options: SendOptions): Promise<void>;
}

interface SendOptions {
  /** Of a door: whoever asked has an answer a second after its deadline. */
  readonly effect: RequestEffect;
  /** Whether each answer ends its connection. */
  readonly isClosing: boolean;
  /** Called before the answer with the id that the other node gave the request, and the account if it has found a valid token. */
  readonly onAnswer: (requestId: string | undefined, accountId: AccountId | undefined) => void;
}

const lookMs = 1_000;
/** A node that stops answers no longer a moment before the database says so. */
const missesAllowed = 3;
/** How long after its deadline a door is answered here. */
const graceMs = 1_000;

export function createForwarding(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly emit: Emit;
  /** undefined: no other one serves. */
  readonly serving: () => ServingNode | undefined;
  /** The host name in the certificate of a process. */
  readonly certificateName: (incarnation: string) => string;
  readonly commandTimeoutMs: number;
  readonly stallDetector: Pick<StallDetector, 'requestTime' | 'settled'>;
}): Forwarding {
  const { clock, log, emit, serving, certificateName, commandTimeoutMs, stallDetector } = options;
  let identity: PeerIdentity | undefined;
  let current: { readonly node: ServingNode; readonly peer: Peer; misses: number } | undefined;
  let cancelLook = (): void => undefined;
  const streams = new Set<ServerResponse>();

  /** Requests under way to a node that serves no longer end now. */
  function target(): typeof current {
    const node = serving();
    if (current !== undefined && current.node.incarnation !== node?.incarnation) {
      current.peer.close();
      current = undefined;
    }
    if (current === undefined && identity !== undefined && node !== undefined && node.url !== null) {
      const peer = createPeer({ url: node.url, name: certificateName(node.incarnation), identity, clock });
      current = { node, peer, misses: 0 };
    }
    return current;
  }

  async function look(to: NonNullable<typeof current>): Promise<void> {
    const { name, url } = to.node;
    try {
      await to.peer.look();
      if (to.misses >= missesAllowed) log.info({ code: 'node-reached', node: name }, 'the node that serves answers this one again');
      to.misses = 0;
    } catch (error) {
      to.misses += 1;
      if (to.misses === missesAllowed && to === current)
        log.warn({ code: 'node-unreachable', node: name, url, reason: (error as Error).message }, 'the node that serves does not answer');
    }
  }

  function lookAgain(): void {
    const to = target();
    if (to !== undefined) void look(to);
    cancelLook = clock.timer(lookMs, lookAgain);
  }

  async function send(request: IncomingMessage, response: ServerResponse, { effect, isClosing, onAnswer }: SendOptions): Promise<void> {
    const deadline = stallDetector.requestTime() + commandTimeoutMs;
    // Who left while this process stood still waits for nothing.
    await stallDetector.settled();
    const to = target();
    if (to === undefined) throw unreachable();
    const expires = await to.peer.itsTime(deadline).catch(() => {
      throw unreachable();
    });
    if (response.destroyed) return;
    const endsInMs = effect === 'door' ? deadline + graceMs - clock.monotonic() : undefined;
    const onHead: RelayOptions['onHead'] = ({ requestId, accountId, isStream }) => {
      onAnswer(requestId, accountId);
      if (isStream) streams.add(response);
    };
    response.once('close', () => streams.delete(response));
    await relay(to.peer, request, response, { effect, clock, expires: Math.floor(expires), endsInMs, isClosing, onHead });
  }

  return {
    start(own) {
      identity = own;
      lookAgain();
    },
    cut() {
      for (const response of streams) response.destroy();
    },
    stop() {
      identity = undefined;
      cancelLook();
      current?.peer.close();
      current = undefined;
    },
    isPossible: () => target() !== undefined,
    forwardsTo() {
      const to = target();
      return to?.peer.isThere() ? to.node.name : null;
    },
    async send(request, response, how) {
      try {
        await send(request, response, how);
        emit('request-forwarded', { outcome: response.writableFinished ? 'answered' : 'left' });
      } catch (error) {
        emit('request-forwarded', { outcome: error instanceof OutcomeUnknown ? 'unknown' : 'unreachable' });
        throw error;
      }
    },
  };
}
