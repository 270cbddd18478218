// Where the bytes of a page are read into: a few buffers, used again and again. A new one for each page costs more than its bytes: it lies
// outside of the heap, and all that was thrown away there is counted until it is collected.

export interface BufferPool {
  /** A buffer with room for so many bytes; what was in it before may still be there. */
  take(bytes: number): Buffer;
  /** Nothing reads into it or from it any more. */
  giveBack(buffer: Buffer): void;
}

const leastBytes = 64 << 10;
/** A page of 1,000 reads some 200 kB. */
const mostBytes = 512 << 10;
const mostKept = 8;

export function createBufferPool(): BufferPool {
  const kept: Buffer[] = [];
  return {
    take(bytes) {
      const buffer = kept.pop();
      return buffer && buffer.length >= bytes ? buffer : Buffer.allocUnsafeSlow(Math.max(bytes, leastBytes));
    },
    giveBack(buffer) {
      if (kept.length < mostKept && buffer.length <= mostBytes) kept.push(buffer);
    },
  };
}
