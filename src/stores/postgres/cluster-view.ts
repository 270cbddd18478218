// What a node shows of itself and of the others.
import type { NodeRow, OtherNodes } from './nodes.ts';

export type NodeRole = 'starting' | 'waiting' | 'serving' | 'lost';

/** What `/readyz` shows. */
export interface ClusterView {
  readonly name: string;
  readonly role: NodeRole;
  /** Names of the nodes that may be asked: the one that leads, and those that pass on to it what they are asked. */
  readonly serving: readonly string[];
  /** The name of the node that has the right to write; null: none is known. */
  readonly leader: string | null;
  /** Whole seconds; null without a lease. */
  readonly leaseSecondsLeft: number | null;
  readonly nodes: readonly { readonly name: string; readonly url: string | null; readonly role: NodeRole }[];
}

export interface OwnView extends Pick<NodeRow, 'name' | 'url'> {
  readonly role: NodeRole;
  readonly leads: boolean;
  /** It opens doors for a leader that is silent. */
  readonly standsIn: boolean;
  /** For how long nobody takes it for dead. */
  readonly aliveMs: number;
}

/** Of others nothing is known until the database has answered; `passesOn`: this one waits, and passes on to the leader what it is asked. */
export function clusterView(own: OwnView, others: Pick<OtherNodes, 'all'>, passesOn: boolean): ClusterView {
  const { name, url } = own;
  const role = passesOn ? 'serving' : own.role;
  const known = own.role === 'starting' && !passesOn ? [] : others.all();
  const leading = own.leads ? own : known.find(({ serving }) => serving);
  const isReached = (row: NodeRow): boolean => row.url !== null && leading !== undefined && leading.url !== null;
  const roleOf = (row: NodeRow): NodeRole => {
    if (row.isDeposed || (row.serving && own.standsIn)) return 'lost';
    return row.serving || isReached(row) ? 'serving' : 'waiting';
  };
  const shown = known.map((row) => ({ name: row.name, url: row.url, role: roleOf(row) }));
  const nodes = [...shown, { name, url, role }].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    name,
    role,
    serving: nodes.filter((one) => one.role === 'serving').map((one) => one.name),
    leader: leading?.name ?? null,
    leaseSecondsLeft: role === 'serving' ? Math.floor(own.aliveMs / 1_000) : null,
    nodes,
  };
}
