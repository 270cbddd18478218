// The memory of a simulated lock for cards and passcodes, which answers the commands for it, with the faults that a test wants.
import { createHash } from 'node:crypto';
import type { CredentialOnLock, LockCommand } from '../../src/domain/locks/lock-command.ts';
import { ok, type Replier, refusal } from './fake-link.ts';

type Numbered = Pick<CredentialOnLock, 'kind' | 'number'>;

export interface CredentialMemory {
  readonly replier: Replier;
  readonly all: () => readonly CredentialOnLock[];
  /** As the hello of this lock says it. */
  readonly said: () => { readonly count: number; readonly digest: string };
  put(...items: readonly (Numbered & Partial<CredentialOnLock>)[]): void;
  remove(...items: readonly Numbered[]): void;
  clear(): void;
  /** What it does instead of an answer, when it returns something. */
  fault: (command: LockCommand) => ReturnType<Replier> | 'silent' | 'forgets';
}

const nameOf = ({ kind, number }: Numbered): string => `${kind === 'card' ? 'c' : 'p'},${number}`;

export function createCredentialMemory(): CredentialMemory {
  const held = new Map<string, CredentialOnLock>();

  function said() {
    const lines = [...held].map(
      ([name, { startDate, endDate, hours, once }]) => `${name},${startDate},${endDate},${hours},${once ? 1 : ''}\n`,
    );
    return { count: held.size, digest: createHash('sha256').update(lines.sort().join('')).digest('hex').slice(0, 16) };
  }
  function put(item: Numbered & Partial<CredentialOnLock>): void {
    held.set(nameOf(item), { startDate: 0, endDate: 0, hours: '', once: false, ...item });
  }
  function remove(item: Numbered): void {
    held.delete(nameOf(item));
  }
  function act(command: Parameters<Replier>[0]): void {
    if (command.op === 'put-credentials') for (const item of command.items) put(item);
    if (command.op === 'remove-credentials') for (const item of command.items) remove(item);
  }
  const memory: CredentialMemory = {
    all: () => [...held.values()],
    said,
    put: (...items) => items.forEach(put),
    remove: (...items) => items.forEach(remove),
    clear: () => held.clear(),
    fault: () => undefined,
    replier(command) {
      const fault = memory.fault(command as LockCommand);
      if (fault === 'silent') {
        act(command);
        return undefined;
      }
      if (fault !== undefined && fault !== 'forgets') return fault;
      switch (command.op) {
        case 'put-credentials':
        case 'remove-credentials':
          if (fault !== 'forgets') act(command);
          return { kind: 'ok', credentials: { ...said(), failed: [] } };
        case 'list-credentials': {
          const all = [...held.values()];
          const credentials = all.slice(command.offset, command.offset + command.limit);
          return { kind: 'ok', credentials: { ...said(), failed: [], listing: { credentials, total: all.length } } };
        }
        case 'get-status':
          return ok;
        default:
          return refusal('not-supported');
      }
    },
  };
  return memory;
}
