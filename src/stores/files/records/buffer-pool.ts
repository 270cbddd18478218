// Buffers for reading pages, used again and again. A new buffer for each page costs more than its bytes: it lies outside of the heap, and
// discarded ones take memory until they are collected.

export interface BufferPool {
  /** A buffer of at least this size; it may still contain old bytes. */
  take(bytes: number): Buffer;
  /** The caller must no longer read into it or from it. */
  giveBack(buffer: Buffer): void;
}

const leastBytes = 64 << 10;
/** Enough for a page of 1,000 records. */
const mostBytes = 512 << 10;
const mostFree = 8;

export function createBufferPool(): BufferPool {
  const free: Buffer[] = [];
  return {
    take(bytes) {
      const buffer = free.pop();
      return buffer && buffer.length >= bytes ? buffer : Buffer.allocUnsafeSlow(Math.max(bytes, leastBytes));
    },
    giveBack(buffer) {
      if (free.length < mostFree && buffer.length <= mostBytes) free.push(buffer);
    },
  };
}
