// What a file is, found out part by part: its checksum, and which lines of records it has in which order.
import { createHash, hash } from 'node:crypto';
import type { OpenFile } from '../files/files.ts';
import { lineHeadOf, linePiecesOf } from '../files/records/records-after.ts';

export interface FileDigest {
  readonly checksum: string;
  /** The same for the same lines, whatever their order. */
  readonly lines: bigint;
  /** Whether its lines lie by lockId and recordId, as in a sealed file (Store 4.4). */
  readonly isSorted: boolean;
}

const newline = Buffer.from('\n');

/** `add` takes whole bytes of any file; `addLine` a line of records, without its newline. */
export function createFileDigest() {
  const sum = createHash('sha256');
  let lines = 0n;
  let isSorted = true;
  let before = { lockId: 0, recordId: 0 };
  return {
    add: (bytes: Buffer): void => void sum.update(bytes),
    addLine(line: Buffer): void {
      sum.update(line).update(newline);
      lines = BigInt.asUintN(128, lines + BigInt(`0x${hash('sha256', line).slice(0, 32)}`));
      const { lockId, recordId } = lineHeadOf(line) ?? before;
      isSorted &&= lockId > before.lockId || (lockId === before.lockId && recordId > before.recordId);
      before = { lockId, recordId };
    },
    digest: (): FileDigest => ({ checksum: sum.digest('hex'), lines, isSorted }),
  };
}

/** Of a file of records, without the newlines that may be behind its lines. */
export async function digestOfRecords(file: Pick<OpenFile, 'read' | 'size'>): Promise<FileDigest> {
  const digest = createFileDigest();
  let empty = 0;
  for await (const lines of linePiecesOf(file.read, { from: 0, to: await file.size() })) {
    for (const { bytes } of lines) {
      if (bytes.length === 0) empty += 1;
      else {
        // Those between lines count.
        for (; empty > 0; empty--) digest.addLine(bytes.subarray(0, 0));
        digest.addLine(bytes);
      }
    }
  }
  return digest.digest();
}
