// How a node says in the database that it is there, beside the others.
import type { Log } from '../../domain/part.ts';
import { conflictIn, isFormerSelf, NodeRefused, type NodeRow, type NodeTable, type OtherNodes } from './nodes.ts';

/**
 * Ends what this node was before and registers it. Resolves with whether that was done: one that must not run beside it may be dead, and is looked
 * at again. Rejects with a `NodeRefused` when it lives, and as the table does.
 */
export async function registerNode(
  node: Omit<NodeRow, 'serving' | 'beat'>,
  { log, table, others }: { readonly log: Log; readonly table: NodeTable; readonly others: OtherNodes },
): Promise<boolean> {
  const earlier = others.all();
  await others.look();
  for (const row of others.all().filter((one) => isFormerSelf(node, one))) {
    await table.end({ incarnation: row.incarnation });
    log.info({ code: 'node-replaced' }, 'a node of this name ran on this machine before: it has ended');
  }
  const conflict = conflictIn(node, others.all());
  if (conflict !== undefined) {
    const before = earlier.find((row) => row.incarnation === conflict.row.incarnation);
    // One that is dead counts no more.
    if (before === undefined || before.beat === conflict.row.beat) return false;
    throw new NodeRefused(conflict.why);
  }
  await table.register(node);
  await others.look();
  // Somebody who started at the same moment.
  const late = conflictIn(node, others.all());
  if (late !== undefined) throw new NodeRefused(late.why);
  if (others.serving().length > 0)
    log.info({ code: 'waiting', serving: others.serving() }, 'another node serves: this one waits for it to end');
  return true;
}
