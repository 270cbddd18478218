// The newest bytes of a journal, kept in memory: what is asked for most is the newest page of a lock, and each of its lines lies somewhere else.

export interface JournalTail {
  /** How many bytes are kept. */
  readonly capacity: number;
  /** Bytes that are flushed, right behind those before; the first of all may lie anywhere. */
  add(bytes: Uint8Array, position: number): void;
  /** Fills `into` with the bytes at a position; false when not all of them are kept. */
  read(into: Uint8Array, position: number): boolean;
}

export function createJournalTail(capacity: number): JournalTail {
  // Used round and round; what was never touched is no memory of the process.
  const ring = Buffer.allocUnsafeSlow(capacity);
  let from = 0;
  let end = 0;

  function add(bytes: Uint8Array, position: number): void {
    if (from === end) from = position;
    end = position + bytes.length;
    const kept = bytes.subarray(Math.max(0, bytes.length - capacity));
    from = Math.max(from, end - capacity);
    const at = (end - kept.length) % capacity;
    const first = kept.subarray(0, capacity - at);
    ring.set(first, at);
    ring.set(kept.subarray(first.length), 0);
  }
  function read(into: Uint8Array, position: number): boolean {
    if (position < from || position + into.length > end) return false;
    const at = position % capacity;
    const first = ring.subarray(at, at + into.length);
    into.set(first);
    into.set(ring.subarray(0, into.length - first.length), first.length);
    return true;
  }
  return { capacity, add, read };
}
