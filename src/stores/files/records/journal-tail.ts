// The newest bytes of a journal, in memory: most requests are for the newest page of a lock, whose lines are scattered over the file.

export interface JournalTail {
  /** How many bytes fit in. */
  readonly capacity: number;
  /** Adds flushed bytes that directly follow those before; the very first may begin anywhere. */
  add(bytes: Uint8Array, position: number): void;
  /** Fills `into` with the bytes at a position; false when some of them are no longer in memory. */
  read(into: Uint8Array, position: number): boolean;
}

/**
 * Uses at most this many pieces. Each piece is allocated when it is needed: most days of most buildings need few, and no bytes are copied
 * into a larger buffer.
 */
export function createJournalTail(mostPieces: number, pieceBytes: number): JournalTail {
  const capacity = mostPieces * pieceBytes;
  /** A ring of pieces. */
  const pieces: Buffer[] = [];
  let from = 0;
  let end = 0;

  /** The rest of the piece that contains a position, at most this many bytes. */
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
