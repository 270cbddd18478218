// Which commands about cards and passcodes went to which lock, read from the bytes on the wire.
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
  const bytes = wire.toLocks();
  const found = new Map<string, readonly SentCredential[]>();
  for (const match of bytes.matchAll(/\/([0-9a-f]{12})\/command[\s\S]{0,2}?\{"id":"/g)) {
    const [whole, deviceId = ''] = match;
    const start = match.index + whole.lastIndexOf('{');
    const command = JSON.parse(bytes.slice(start, endOf(bytes, start))) as SentCommand;
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

/** No text in a command has braces. */
function endOf(bytes: string, start: number): number {
  for (let at = start, depth = 0; at < bytes.length; at++) {
    if (bytes[at] === '{') depth++;
    else if (bytes[at] === '}' && --depth === 0) return at + 1;
  }
  return bytes.length;
}
