// Which commands about cards and passcodes went to which lock, read from the bytes on the wire.
import type { AccessHouse } from './access-house.ts';
import type { Wire } from './site-wire.ts';

export interface SentCredential {
  readonly deviceId: string;
  readonly commandId: string;
  readonly op: string;
  /** Of a passcode with a `p` before it. */
  readonly number: string;
}

interface SentCommand {
  readonly id: string;
  readonly op: string;
  readonly args?: { readonly cardNumber?: string; readonly items?: readonly { readonly kind: string; readonly number: string }[] };
}

export function passcodeKey(code: string): string {
  return `p${code}`;
}

/** Each command once, however often it was sent. */
export function sentCredentials(wire: Pick<Wire, 'toLocks'>): readonly SentCredential[] {
  return credentialsIn(wire.toLocks());
}

/** The ids of the commands to which locks have said ok, late or not. */
export function saidOk(wire: Pick<Wire, 'fromLocks'>): ReadonlySet<string> {
  return new Set(Array.from(wire.fromLocks().matchAll(/\{"id":"([^"]+)","ok":true/g), ([, id = '']) => id));
}

/** Notes in the trail which commands about cards and passcodes go to each lock, and what it says of its memory. Returns what ends it. */
export function noteTraffic({ site, trail, locks }: Pick<AccessHouse, 'site' | 'trail' | 'locks'>): () => void {
  const lockOf = new Map<string, number>(locks.map((lock) => [site.lock(lock).deviceId, lock]));
  site.wire.watch((deviceId, bytes, way) => {
    const lock = lockOf.get(deviceId);
    if (way === 'to-lock') {
      for (const { op, number, commandId } of credentialsIn(bytes)) trail.note(`--> ${op} (${commandId.slice(-6)})`, lock, number);
      for (const [, id = ''] of bytes.matchAll(/"id":"([^"]+)","op":"list-/g)) trail.note(`--> list (${id.slice(-6)})`, lock);
    } else {
      for (const [, said = ''] of bytes.matchAll(/hello[\s\S]{0,2}?\{.*?("cards":.*)/g)) trail.note(`<-- hello ${said}`, lock);
      for (const [, id = '', said] of bytes.matchAll(/reply[\s\S]{0,2}?\{"id":"([^"]+)",([^{]*)/g))
        trail.note(`<-- (${id.slice(-6)}) ${said}`, lock);
    }
  });
  return () => site.wire.watch(undefined);
}

function credentialsIn(bytes: string): readonly SentCredential[] {
  const found = new Map<string, readonly SentCredential[]>();
  for (const match of bytes.matchAll(/\/([0-9a-f]{12})\/command[\s\S]{0,2}?\{"id":"/g)) {
    const [whole, deviceId = ''] = match;
    const start = match.index + whole.lastIndexOf('{');
    const command = commandAt(bytes, start);
    if (command === undefined) continue;
    const { cardNumber, items = [] } = command.args ?? {};
    const numbers = items.map(({ kind, number }) => (kind === 'card' ? number : passcodeKey(number)));
    if (cardNumber !== undefined) numbers.push(cardNumber);
    found.set(
      `${deviceId} ${command.id}`,
      numbers.map((number) => ({ deviceId, commandId: command.id, op: command.op, number })),
    );
  }
  return [...found.values()].flat();
}

/** undefined: its end has not come yet. */
function commandAt(bytes: string, start: number): SentCommand | undefined {
  try {
    return JSON.parse(bytes.slice(start, endOf(bytes, start))) as SentCommand;
  } catch {
    return undefined;
  }
}

/** No text in a command has braces. */
function endOf(bytes: string, start: number): number {
  for (let at = start, depth = 0; at < bytes.length; at++) {
    if (bytes[at] === '{') depth++;
    else if (bytes[at] === '}' && --depth === 0) return at + 1;
  }
  return bytes.length;
}
