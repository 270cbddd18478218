// The newest bytes of a journal, kept in memory: what is asked for most is the newest page of a lock, and each of its lines lies somewhere else.

export interface JournalTail {
  /** How many bytes are kept. */
  readonly capacity: number;
  /** Bytes that are flushed, right behind those before; the first of all may lie anywhere. */
  add(bytes: Uint8Array, position: number): void;
  /** Fills `into` with the bytes at a position; false when not all of them are kept. */
  read(into: Uint8Array, position: number): boolean;
}

/** In so many pieces at most. Each is taken when it is needed: most days of most buildings need few, and nothing is moved into something larger. */
export function createJournalTail(mostPieces: number, pieceBytes: number): JournalTail {
  const capacity = mostPieces * pieceBytes;
  /** Used round and round. */
  const pieces: Buffer[] = [];
  let from = 0;
  let end = 0;

  /** The rest of the piece that a position lies in, and no more than so many bytes of it. */
  function restOf(position: number, bytes: number): Buffer {
    const at = position % pieceBytes;
    const n = Math.floor(position / pieceBytes) % mostPieces;
    pieces[n] ??= Buffer.allocUnsafeSlow(pieceBytes);
    return pieces[n].subarray(at, at + bytes);
  }
  return {
    capacity,
    add(bytes, position) {
      if (from === end) from = position;
      end = position + bytes.length;
      from = Math.max(from, end - capacity);
      for (let done = Math.max(0, bytes.length - capacity); done < bytes.length; ) {
        const rest = restOf(position + done, bytes.length - done);
        rest.set(bytes.subarray(done, done + rest.length));
        done += rest.length;
      }
    },
    read(into, position) {
      if (position < from || position + into.length > end) return false;
      for (let done = 0; done < into.length; ) {
        const rest = restOf(position + done, into.length - done);
        into.set(rest, done);
        done += rest.length;
      }
      return true;
    },
  };
}
