// The timer by which the MQTT library keeps a connection alive, for a line that does not.

/**
 * The library sets it anew after each packet, with half the keep alive: the second tick sends PINGREQ, the third one ends the connection.
 * `none` never ticks, `unanswered` not a third time.
 */
export function createPingTimer(pings: 'none' | 'unanswered') {
  return {
    set(tick: () => void, everyMs: number): number {
      let left = pings === 'none' ? 0 : 2;
      const timer = setInterval(() => {
        if (left-- > 0) tick();
      }, everyMs);
      return Number(timer);
    },
    clear: (timer: number) => clearInterval(timer),
  };
}
