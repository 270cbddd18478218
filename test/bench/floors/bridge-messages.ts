// The one command that the bridges beside latchd know, in the form that the simulated locks read.

export interface Reply {
  readonly id: string;
  readonly ok: boolean;
}

/** deviceIds are numbered like the locks: `b00000000007` is lock 7. */
export function commandFor(id: string, op: string, lockId: number): { readonly topic: string; readonly payload: string } {
  const deviceId = `b${lockId.toString(16).padStart(11, '0')}`;
  return {
    topic: `latchd/v1/${deviceId}/command`,
    payload: JSON.stringify({ id, session: 'bench-session', op, args: {}, expires: Number.MAX_SAFE_INTEGER, ttl: 10_000 }),
  };
}
