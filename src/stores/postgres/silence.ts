// Whether the leader gives no sign of life. Only nodes that reach each other (`cluster.url`) know it before its lease is over: one that the
// database alone misses may live.
import type { NodeRow, OtherNodes } from './nodes.ts';

export interface Silence {
  /**
   * It answers this node no longer, and the database does not answer, or lets nobody take the place of one that does not say there that it lives.
   */
  isSilent(): boolean;
  /** Both miss it, and it could have said that it lives: another node may take its place. */
  isCertain(): boolean;
}

/** What a sign may be late, and for how long nodes that are asked each second have not answered: two questions in a row. */
const [lateMs, missedMs] = [500, 2_000];
/** How long a database that answers may take until another node serves. */
const placeMs = 1_000;

export function createSilence(options: {
  /** How often a node says to the database that it lives. */
  readonly beatMs: number;
  readonly others: Pick<OtherNodes, 'silentMs' | 'answersAgain'>;
  readonly serving: () => Pick<NodeRow, 'url'> | undefined;
  /** How long ago the leader has answered this one; undefined: it never has, or this one reaches nobody. */
  readonly unansweredMs: () => number | undefined;
}): Silence {
  const { beatMs, others, serving, unansweredMs } = options;
  const longMs = beatMs + lateMs;
  const unanswered = (): number => (typeof serving()?.url === 'string' ? (unansweredMs() ?? 0) : 0);

  return {
    isSilent() {
      const said = others.silentMs();
      return said === undefined ? unanswered() >= longMs : said >= longMs + placeMs && unanswered() >= missedMs;
    },
    isCertain: () => others.answersAgain() && (others.silentMs() ?? 0) >= longMs && unanswered() >= missedMs,
  };
}
