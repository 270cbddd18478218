// This node among those that share a database.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { z } from 'zod';
import { group, integerFrom } from './config-values.ts';

const nameSays = 'must be 1 to 64 letters, digits, dots, _ and -';
const urlSays = 'must be https:// with a host and a port, and nothing else, such as https://box-1.lan:8444';

export const cluster = group({
  name: z
    .string(nameSays)
    .regex(/^[\w.-]{1,64}$/, nameSays)
    .optional(),
  url: z
    .string(urlSays)
    .regex(/^https:\/\/([\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}$/, urlSays)
    .refine((text) => URL.canParse(text) && new URL(text).port !== '0', urlSays)
    .optional(),
  leaseSeconds: integerFrom(5, 300).default(30),
}).prefault({});

/** Where a node listens for others that know it by this `cluster.url`; `host` is "" for every address of the machine. */
export function listensForNodes(url: string): { readonly host: string; readonly port: number } {
  const { hostname: name, port } = new URL(url);
  const host = name.replace(/^\[(.*)\]$/, '$1');
  // By a name this machine may know itself on loopback alone.
  return { host: isIP(host) === 0 ? '' : host, port: port === '' ? 443 : Number(port) };
}

/** The name of this node: by default that of the machine, as far as it is one. */
function nodeName({ name }: { readonly name?: string | undefined }): string {
  return (
    name ??
    (hostname()
      .replaceAll(/[^\w.-]/g, '-')
      .slice(0, 64) ||
      'node')
  );
}

/** What a database knows of this node. */
export async function thisNode(given: z.infer<typeof cluster>) {
  return { name: nodeName(given), url: given.url ?? null, bootId: await readBootId(), leaseMs: given.leaseSeconds * 1_000 };
}

/** Of this machine since it was switched on; one that no other process has where the kernel does not say it. */
async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => randomUUID())).trim();
}

/** Of a store that no other node can reach: one line for each setting that would mean nothing. */
export function clusterContradictions(
  { store, cluster: given }: { readonly store: string; readonly cluster: z.infer<typeof cluster> },
  givenAt: (path: readonly string[]) => string | undefined,
): string[] {
  if (store !== 'files') return [];
  const wrong = [
    ...(given.name === undefined ? [] : ['name']),
    ...(given.url === undefined ? [] : ['url']),
    ...(given.leaseSeconds === 30 ? [] : ['leaseSeconds']),
  ];
  return wrong.map((setting) => {
    const place = givenAt(['cluster', setting]);
    return `${place === undefined ? '' : `${place}: `}cluster.${setting}: must be left out with store: files, which no other node can reach`;
  });
}
