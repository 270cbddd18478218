// One attempt to send something to a receiver, through whatever channel, and when the next one is due.

/** The result of sending something once. */
export interface Attempt {
  /** Whether the receiver accepted it. */
  readonly delivered: boolean;
  /** The status that the receiver answered; null: no answer. */
  readonly status: number | null;
  /** Why it was not delivered, for people; "" if it was. */
  readonly reason: string;
  readonly ms: number;
}

export const retryForMs = 86_400_000;
const shortestPauseMs = 5_000;
const longestPauseMs = 1_800_000;

/** The pause after so many failed attempts: 5 s, doubled each time, at most half an hour. `random` 0 to 1 spreads it by a fifth. */
export function pauseMs(attempts: number, random: number): number {
  return Math.min(longestPauseMs, shortestPauseMs * 2 ** (attempts - 1)) * (0.8 + 0.4 * random);
}
