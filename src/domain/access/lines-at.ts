// What the lines about one topic say of an instant. A line became true at some time between its two dates, and held until the next one did.
import { type AccessLine, topicOf } from './access-log.ts';

export interface PossibleLines {
  /** One of these held then, the latest first. Several: when the change between them was is not known exactly. */
  readonly lines: readonly AccessLine[];
  /** It may also be that nothing held yet. */
  readonly mayBeNone: boolean;
}

/** `lines`: of one topic, in their order. What was `unsure` held by its own word alone for an open command: what was before may have held. */
export function linesAt(lines: readonly AccessLine[], at: number): PossibleLines {
  const possible: AccessLine[] = [];
  // A line does not hold before the one that it follows.
  let latest = 0;
  const since = lines.map(({ notBefore }) => {
    latest = Math.max(latest, notBefore);
    return latest;
  });
  for (let n = lines.length - 1; n >= 0; n--) {
    const line = lines[n] as AccessLine;
    if ((since[n] as number) > at) continue;
    possible.push(line);
    if (line.notAfter <= at && line.what !== 'unsure') return { lines: possible, mayBeNone: false };
  }
  return { lines: possible, mayBeNone: true };
}

/** The lines by topic, those of each in their order. */
export function byTopic(lines: readonly AccessLine[]): ReadonlyMap<string, readonly AccessLine[]> {
  const topics = new Map<string, AccessLine[]>();
  for (const line of lines) {
    const topic = topicOf(line);
    const there = topics.get(topic);
    if (there === undefined) topics.set(topic, [line]);
    else there.push(line);
  }
  return topics;
}
