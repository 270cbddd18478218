// Sends requests on to the leader, from one that does not: status, headers, body and stream go both ways as they are.
//
// While one node hands over to another, requests wait here for the next leader, which may be this one. None is done twice: only what
// was not begun waits, because no byte of it was sent, or the other node refused it before it looked at it (`relay.ts`); and once it was sent
// without such a word, it never waits again. None opens a door late: a door waits no longer than its deadline, which stays that of its arrival
// here, wherever it is handled then, and it goes on only if its client has not left. After this process stood still, what the client did
// meanwhile is read first. Nobody's token is looked at, and nothing is counted, before a node handles the request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/event-bus.ts';
import type { Lease } from '../../domain/lease.ts';
import type { StallDetector } from '../../domain/locks/stall-detector.ts';
import type { Log } from '../../domain/part.ts';
import { OutcomeUnknown } from '../pipeline/effect.ts';
import { createAttempt, type SendOptions } from './attempt.ts';
import { createHeldRequests } from './held-requests.ts';
import { createPeer, type Peer, type PeerIdentity } from './peer.ts';
import { expiryOf, noteDeadline } from './peer-requests.ts';
import { NotBegun } from './relay.ts';

/** The leader. */
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
  /** Ends the streams that go on until somebody ends them, and refuses the requests that wait. */
  cut(): void;
  /** Ends all requests under way. */
  stop(): void;
  /** Whether there is a node to which a request may go, or may soon be one. */
  isPossible(): boolean;
  /** The name of the node to which requests go; null when none answers. */
  forwardsTo(): string | null;
  /** Whether a request that comes now is sent on, or waits for the next leader. */
  isTaking(): boolean;
  /** Since when (epoch ms) requests are sent on or wait, once the leader has answered this one; undefined: they are not. */
  passesOnSince(): number | undefined;
  /** The leader; undefined also while it stops. */
  peer(): Peer | undefined;
  /** For how many milliseconds the leader has not answered this one; undefined: it never has, so nobody knows whether that is the way between them. */
  unansweredMs(): number | undefined;
  /**
   * Resolves with `ended` when the answer is sent, or the client has left; with `here` when this node serves by now, has to handle the request,
   * and nobody else has begun it. Rejects with `storage-unavailable` when nothing was done or nobody knows, and with `lock-timeout` when nobody
   * knows and the request is for a door; then no answer was begun.
   */
  send(request: IncomingMessage, response: ServerResponse, options: SendOptions): Promise<'ended' | 'here'>;
}

const lookMs = 1_000;
/** A node that stops answers no longer a moment before the database says so. */
const missesAllowed = 3;
/** How long after nobody serves any more a request may wait: a node ends within 5 s, and the next one begins within one or two. */
const handoverMs = 8_000;

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
  /** Of this node, once it handles requests. */
  readonly lease: Lease;
  /** Whether this node would serve if no other one did, as far as it knows. */
  readonly mayServe: () => boolean;
  /** Whether it is about to: it has the lease. */
  readonly hasLease: () => boolean;
  /** The leader has begun to stop. */
  readonly onStop: () => void;
}): Forwarding {
  const { clock, log, emit, serving, certificateName, commandTimeoutMs, stallDetector, lease, onStop } = options;
  let identity: PeerIdentity | undefined;
  let current:
    | { readonly node: ServingNode; readonly peer: Peer; misses: number; answeredAt: number | undefined; isStopping: boolean }
    | undefined;
  let cancelLook = (): void => undefined;
  /** Since when no other node takes requests, as far as is known. */
  let lostAt: number | undefined;
  let reachedAt: number | undefined;
  const streams = new Set<ServerResponse>();
  const held = createHeldRequests({ clock, log, isServed });

  /** Requests under way to a leader no longer end now; one that stops is sent none any more. */
  function target(): typeof current {
    const node = serving();
    if (current !== undefined && current.node.incarnation !== node?.incarnation) {
      current.peer.close();
      current = undefined;
    }
    if (current === undefined && identity !== undefined && node !== undefined && node.url !== null)
      current = reached(node, node.url, identity);
    return current?.isStopping ? undefined : current;
  }

  function reached(node: ServingNode, url: string, own: PeerIdentity): NonNullable<typeof current> {
    const peer = createPeer({ url, name: certificateName(node.incarnation), identity: own, clock, onStop: stops });
    const to = { node, peer, misses: 0, answeredAt: undefined, isStopping: false };
    function stops(): void {
      to.isStopping = true;
      isLost();
      peer.rest();
      onStop();
    }
    return to;
  }

  function isLost(): void {
    lostAt ??= clock.monotonic();
  }

  async function look(to: NonNullable<typeof current>): Promise<void> {
    const { name, url } = to.node;
    try {
      await to.peer.look();
      if (to.answeredAt === undefined || to.misses >= missesAllowed)
        log.info({ code: 'node-reached', node: name }, 'the leader answers: this node serves, and passes on to it what it is asked');
      [to.misses, to.answeredAt] = [0, clock.monotonic()];
      lostAt = undefined;
      reachedAt ??= clock.now();
    } catch (error) {
      to.misses += 1;
      isLost();
      if (to.misses === missesAllowed && to === current)
        log.warn({ code: 'node-unreachable', node: name, url, reason: (error as Error).message }, 'the leader does not answer');
    }
  }

  function lookAgain(): void {
    const to = target();
    if (to === undefined) isLost();
    else void look(to);
    if (!isTaking()) reachedAt = undefined;
    cancelLook = clock.timer(lookMs, lookAgain);
  }

  function isServed(): boolean {
    if (lease.leftMs() > 0) return true;
    const to = target();
    void to?.peer.look().catch(() => undefined);
    return to?.peer.isThere() ?? false;
  }

  function mayWaitUntil(): number {
    if (!options.mayServe()) return Number.NEGATIVE_INFINITY;
    const since = options.hasLease() ? undefined : lostAt;
    return (since ?? clock.monotonic()) + handoverMs;
  }

  function forwardsTo(): string | null {
    const to = target();
    return to?.peer.isThere() ? to.node.name : null;
  }

  const isTaking = (): boolean => forwardsTo() !== null || clock.monotonic() < mayWaitUntil();

  const attempt = createAttempt({
    clock,
    stallDetector,
    onStream(response) {
      streams.add(response);
      response.once('close', () => streams.delete(response));
    },
  });

  async function send(request: IncomingMessage, response: ServerResponse, how: SendOptions): Promise<'ended' | 'here'> {
    const { effect } = how;
    const deadlineNow = (): number => stallDetector.requestTime() + commandTimeoutMs;
    const arrival = Math.min(deadlineNow(), expiryOf(request) ?? Number.POSITIVE_INFINITY);
    let giveUpAt = clock.monotonic() + handoverMs;
    let hasWaited = false;
    for (;;) {
      // Who left while this process stood still waits for nothing.
      await stallDetector.settled();
      if (response.destroyed) return 'ended';
      const deadline = effect === 'door' ? arrival : deadlineNow();
      if (clock.monotonic() >= deadline) throw new NotBegun();
      if (lease.leftMs() > 0) {
        if (effect === 'door') noteDeadline(request, arrival);
        return 'here';
      }
      try {
        const to = target();
        if (to === undefined) throw new NotBegun();
        await attempt(to.peer, { request, response }, how, { deadline, giveUpAt });
        return 'ended';
      } catch (error) {
        if (!(error instanceof NotBegun)) throw error;
        isLost();
        // Once for all of its attempts: what becomes of them does not move it.
        if (!hasWaited) giveUpAt = Math.min(giveUpAt, mayWaitUntil(), effect === 'door' ? arrival : Number.POSITIVE_INFINITY);
        hasWaited = true;
        const isServed = clock.monotonic() < giveUpAt && (await held.wait(request, response, { effect, until: giveUpAt }));
        if (!isServed && !response.destroyed) throw error;
      }
    }
  }

  return {
    start(own) {
      identity = own;
      lookAgain();
    },
    cut() {
      held.stop();
      for (const response of streams) response.destroy();
    },
    stop() {
      identity = undefined;
      held.stop();
      cancelLook();
      current?.peer.close();
      current = undefined;
    },
    isPossible: () => target() !== undefined || clock.monotonic() < mayWaitUntil(),
    forwardsTo,
    isTaking,
    passesOnSince: () => (isTaking() ? reachedAt : undefined),
    peer: () => target()?.peer,
    unansweredMs: () => (current?.answeredAt === undefined ? undefined : clock.monotonic() - current.answeredAt),
    async send(request, response, how) {
      try {
        const outcome = await send(request, response, how);
        if (outcome === 'ended') emit('request-forwarded', { outcome: response.writableFinished ? 'answered' : 'left' });
        return outcome;
      } catch (error) {
        emit('request-forwarded', { outcome: error instanceof OutcomeUnknown ? 'unknown' : 'unreachable' });
        throw error;
      }
    },
  };
}
