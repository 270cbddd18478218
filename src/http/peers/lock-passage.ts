// The way of connections of locks to the leader, over one link for all of them. It ends when that node does not answer, when another
// one serves, and when this one takes locks itself: who is on it comes again.
import type { Duplex } from 'node:stream';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/part.ts';
import { createNodeLink, type NodeLink } from './node-link.ts';
import type { LockOrigin } from './node-link-messages.ts';
import type { Peer } from './peer.ts';

export interface LockPassage {
  /** Rejects when there is no node that takes connections of locks now. */
  open(origin: LockOrigin): Promise<Duplex>;
  /** Connections that are passed on now. */
  size(): number;
  /** Ends them. */
  close(): void;
}

const lookMs = 250;

export function createLockPassage(options: {
  readonly clock: Pick<Clock, 'timer'>;
  readonly log: Log;
  /** The leader; undefined also while it stops. */
  readonly peer: () => Peer | undefined;
  /** Its name. */
  readonly forwardsTo: () => string | null;
  /** Whether this node takes locks itself. */
  readonly isHere: () => boolean;
}): LockPassage {
  const { clock, log, peer, forwardsTo, isHere } = options;
  let current: { readonly peer: Peer; readonly opening: Promise<NodeLink>; link?: NodeLink } | undefined;

  function reach(to: Peer): NonNullable<typeof current> {
    const node = forwardsTo();
    const way: NonNullable<typeof current> = { peer: to, opening: connect() };
    let cancelLook = (): void => undefined;
    async function connect(): Promise<NodeLink> {
      const socket = await to.openLockLink();
      const link = createNodeLink(socket, { clock, onClosed: ended });
      way.link = link;
      log.info({ code: 'locks-passed-on', node }, 'connections of locks are passed on to the leader');
      look();
      return link;
    }
    function over(): void {
      cancelLook();
      if (current === way) current = undefined;
    }
    function ended(connections: number, error?: Error): void {
      over();
      log.info(
        { code: 'locks-passed-on-no-more', node, connections, reason: error?.message },
        'connections of locks are no longer passed on to that node',
      );
    }
    /** A node that stops still answers what is under way, and ends the link itself. */
    function look(): void {
      const isSilent = peer() === to && to.isSilent();
      if (isHere() || isSilent) way.link?.close();
      else cancelLook = clock.timer(lookMs, look);
    }
    way.opening.catch(() => over());
    return way;
  }

  return {
    async open(origin) {
      const to = peer();
      if (to === undefined || !to.isThere()) throw new Error('no node takes connections of locks');
      if (current?.peer !== to) {
        current?.link?.close();
        current = reach(to);
      }
      const link = await current.opening;
      return link.open(origin);
    },
    size: () => current?.link?.size() ?? 0,
    close: () => current?.link?.close(),
  };
}
