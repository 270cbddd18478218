// What a server says of itself, put into numbers.

/** How many synchronous standbys are there, in SQL; null: this role may not see it. */
export const synchronousStandbys = `(SELECT CASE WHEN count(*) FILTER (WHERE state IS NULL) = 0
    THEN count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) END FROM pg_stat_replication)`;

/** The nodes that were lost and have not come back, in SQL; one that was lost for a week is taken for one that was given up. */
export const lostNodes = `lost_node WHERE lost_at > now() - interval '7 days' AND name NOT IN (SELECT name FROM node)`;

/** How many standbys a commit waits for; `names` is `synchronous_standby_names`, such as `ANY 2 (a, b, c)`. */
export function demandedStandbys(names: string): number {
  const [, count] = /^\s*(?:FIRST\s+|ANY\s+)?(\d+)\s*\(/i.exec(names) ?? [];
  return names.trim() === '' ? 0 : Number(count ?? 1);
}

/**
 * By how many milliseconds the server's clock is surely ahead of ours; negative: behind; 0: it may be the same. `serverNow` is of a moment
 * between `begun` and `ended` on our clock.
 */
export function clockAhead(serverNow: number, begun: number, ended: number): number {
  if (serverNow > ended) return serverNow - ended;
  return Math.min(0, serverNow - begun);
}
