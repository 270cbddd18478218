// This node among those that share a database: the certificate authority of all, the endpoint for the others, and the way to the leader.
import type { Lease } from '../domain/lease.ts';
import type { StallDetector } from '../domain/locks/stall-detector.ts';
import { createForwarding, type Forwarding } from '../http/peers/forwarding.ts';
import { createLockPassage, type LockPassage } from '../http/peers/lock-passage.ts';
import type { HttpServer } from '../http/pipeline/server.ts';
import { makePeerIdentity } from '../platform/tls/peer-certificate.ts';
import type { AuthorityStore } from '../platform/tls/shared-authority.ts';
import type { NodeLease } from '../stores/postgres/node-lease.ts';
import type { Base } from './base.ts';
import { listensForNodes } from './config-cluster.ts';
import type { GatewayEndpoints } from './listener-config.ts';

/** The name of a process in its certificate. Another process at the same address has another one. */
const certificateName = (incarnation: string): string => `${incarnation}.node.latchd`;

/** undefined: other nodes do not reach this one (`cluster.url`), so it does not reach them either. */
export function createForwardingFor(
  { config, clock, log, events }: Base,
  node: Pick<NodeLease, 'servingElsewhere' | 'mayServe' | 'leftMs' | 'hurry'> | undefined,
  { stallDetector, lease }: { readonly stallDetector: StallDetector; readonly lease: Lease },
): Forwarding | undefined {
  if (node === undefined || config.cluster.url === undefined) return undefined;
  return createForwarding({
    ...{ clock, log, emit: events.emit, certificateName, stallDetector, lease, commandTimeoutMs: config.commandTimeoutMs },
    ...{ serving: node.servingElsewhere, mayServe: node.mayServe, hasLease: () => node.leftMs() > 0, onStop: node.hurry },
  });
}

/** The way of connections of locks to the leader. */
export function createLockPassageFor(
  { clock, log }: Base,
  node: Pick<NodeLease, 'leftMs'> | undefined,
  forwarding: Forwarding | undefined,
): LockPassage | undefined {
  if (node === undefined || forwarding === undefined) return undefined;
  return createLockPassage({ clock, log, peer: forwarding.peer, forwardsTo: forwarding.forwardsTo, isHere: () => node.leftMs() > 0 });
}

/**
 * Call it once the database answers: from then on this node shows certificates of the authority of all nodes, lets other nodes in and sends
 * requests on. Rejects with a sentence for the operator.
 */
export async function joinPeers(
  { config }: Pick<Base, 'config'>,
  options: {
    readonly authorities: AuthorityStore;
    readonly listeners: Pick<GatewayEndpoints, 'shareAuthority'>;
    readonly http: Pick<HttpServer, 'startForPeers'>;
    readonly forwarding: Forwarding | undefined;
    readonly incarnation: string;
  },
): Promise<void> {
  const { authorities, listeners, http, forwarding, incarnation } = options;
  const authority = await listeners.shareAuthority(authorities, forwarding !== undefined);
  if (authority === undefined || forwarding === undefined) return;
  const identity = await makePeerIdentity(authority, certificateName(incarnation));
  await http.startForPeers({
    ...listensForNodes(config.cluster.url ?? ''),
    identity: { current: () => identity, onChange: () => undefined },
  });
  forwarding.start(identity);
}
