// What a node shows of itself and of the others.
import type { NodeRow, OtherNodes } from './nodes.ts';

export type NodeRole = 'starting' | 'waiting' | 'serving' | 'lost';

/** What `/readyz` shows. */
export interface ClusterView {
  readonly name: string;
  readonly role: NodeRole;
  /** Names of the nodes that serve. */
  readonly serving: readonly string[];
  /** Whole seconds; null without a lease. */
  readonly leaseSecondsLeft: number | null;
  readonly nodes: readonly { readonly name: string; readonly url: string | null; readonly role: NodeRole }[];
}

/** Of others nothing is known until the database has answered. @param own this node */
export function clusterView(
  own: Pick<NodeRow, 'name' | 'url'> & { readonly role: NodeRole; readonly leftMs: number },
  others: Pick<OtherNodes, 'all' | 'serving'>,
): ClusterView {
  const { name, url, role, leftMs } = own;
  const isAway = role === 'starting';
  const shown = others
    .all()
    .map((row) => ({ name: row.name, url: row.url, role: row.serving ? ('serving' as const) : ('waiting' as const) }));
  return {
    name,
    role,
    serving: [...(role === 'serving' ? [name] : []), ...(isAway ? [] : others.serving())],
    leaseSecondsLeft: role === 'serving' ? Math.floor(leftMs / 1_000) : null,
    nodes: [...(isAway ? [] : shown), { name, url, role }].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
