// The one packet of a connection that has not come whole yet. What is kept grows with what has come, never with what a
// header claims (T12).

export interface PartialPacket {
  /** Bytes kept. */
  size(): number;
  /** How many more complete it; 1 when nothing is kept, or not even its whole header. */
  missing(): number;
  /** Copies the bytes: a slice would hold on to the whole chunk. `totalBytes`, when the header says so by now, is the size of the packet. */
  keep(bytes: Buffer, totalBytes?: number): void;
  /** What was kept with what completes it, and nothing is kept any more; `rest` is what the chunk has beyond, if anything. */
  complete(chunk: Buffer): { readonly bytes: Buffer; readonly rest: Buffer | undefined };
}

const nothing = Buffer.alloc(0);
const smallestBytes = 64;

export function createPartialPacket(): PartialPacket {
  let buffer = nothing;
  let kept = 0;
  let total = 0;

  function append(bytes: Buffer): void {
    const needed = kept + bytes.length;
    if (needed > buffer.length) {
      // Of its own memory: many small ones would hold on to many pieces of the common pool. At most twice what has come.
      const grown = Buffer.allocUnsafeSlow(Math.max(smallestBytes, needed, Math.min(total, 2 * needed)));
      buffer.copy(grown, 0, 0, kept);
      buffer = grown;
    }
    bytes.copy(buffer, kept);
    kept = needed;
  }

  return {
    size: () => kept,
    missing: () => Math.max(1, total - kept),
    keep(bytes, totalBytes = total) {
      total = totalBytes;
      append(bytes);
    },
    complete(chunk) {
      const taken = total === 0 ? chunk : chunk.subarray(0, total - kept);
      append(taken);
      const bytes = buffer.subarray(0, kept);
      buffer = nothing;
      kept = 0;
      total = 0;
      return { bytes, rest: taken.length < chunk.length ? chunk.subarray(taken.length) : undefined };
    },
  };
}
