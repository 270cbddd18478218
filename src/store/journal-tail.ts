// The newest bytes of a journal, kept in memory: what is asked for most is the newest page of a lock, and each of its lines lies somewhere else.

export interface JournalTail {
  /** How many bytes are kept. */
  readonly capacity: number;
  /** Bytes that are flushed, right behind those before; the first of all may lie anywhere. */
  add(bytes: Uint8Array, position: number): void;
  /** Fills `into` with the bytes at a position; false when not all of them are kept. */
  read(into: Uint8Array, position: number): boolean;
}

/** Most days of most buildings need no more. */
const firstBytes = 64 << 10;

export function createJournalTail(capacity: number): JournalTail {
  /** Used round and round: the byte at a position lies at its remainder. */
  let ring = Buffer.alloc(0);
  let from = 0;
  let end = 0;

  /** Makes the ring twice as large, again and again, until it holds so many bytes or all that are kept. */
  function makeRoom(wanted: number): void {
    let size = Math.max(ring.length, Math.min(firstBytes, capacity));
    while (size < Math.min(wanted, capacity)) size = Math.min(2 * size, capacity);
    if (size === ring.length) return;
    const kept = Buffer.allocUnsafe(end - from);
    read(kept, from);
    ring = Buffer.allocUnsafeSlow(size);
    put(kept);
  }
  /** Bytes that end at `end`, no more than the ring holds. */
  function put(bytes: Uint8Array): void {
    const at = (end - bytes.length) % ring.length;
    const first = bytes.subarray(0, ring.length - at);
    ring.set(first, at);
    ring.set(bytes.subarray(first.length), 0);
  }
  function add(bytes: Uint8Array, position: number): void {
    if (from === end) {
      from = position;
      end = position;
    }
    makeRoom(end - from + bytes.length);
    end += bytes.length;
    from = Math.max(from, end - capacity);
    put(bytes.subarray(Math.max(0, bytes.length - capacity)));
  }
  function read(into: Uint8Array, position: number): boolean {
    if (position < from || position + into.length > end) return false;
    const at = position % ring.length;
    const first = ring.subarray(at, at + into.length);
    into.set(first);
    into.set(ring.subarray(0, into.length - first.length), first.length);
    return true;
  }
  return { capacity, add, read };
}
