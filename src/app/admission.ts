// Where HTTP and the control socket start before the store, requests are let in later.
import type { Lease } from '../domain/lease.ts';
import type { Part } from '../domain/part.ts';
import type { Storage } from './storage.ts';

/** `part` stands where HTTP would start in the usual order: before it nobody's token is known. */
export function createAdmission({ node, lease }: Pick<Storage, 'node' | 'lease'>): { readonly part: Part; readonly lease: Lease } {
  let isOpen = node === undefined;
  return {
    part: {
      name: 'requests',
      async start() {
        isOpen = true;
      },
      async stop() {
        isOpen = false;
      },
    },
    lease: { leftMs: () => (isOpen ? lease.leftMs() : 0) },
  };
}
