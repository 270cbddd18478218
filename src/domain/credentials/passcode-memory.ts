// The memory of a lock of another make for passcodes.
import type { LockCommand } from '../locks/lock-command.ts';
import type { LockSession } from '../locks/lock-link.ts';
import { always } from './entry.ts';
import type { LockMemory, MemoryLimits, MemoryRequest, OwnRequest, Shown, StepEnd } from './lock-memory.ts';
import { isEnd, refusedStep, type Send } from './memory-commands.ts';

/** A hub takes no longer names. */
const longestName = 20;

/** Passcodes that the lock knows by references, one at a time. */
export function passcodeMemory(send: Send, limits: MemoryLimits): LockMemory {
  async function step(session: LockSession, command: LockCommand, request: MemoryRequest | OwnRequest | undefined): Promise<StepEnd> {
    const answer = await send(session, command, request);
    if (isEnd(answer)) return answer;
    const { commandId, end } = answer;
    if (end.kind !== 'ok') return refusedStep(answer) ?? { kind: 'open' };
    const basis = end.passcode?.proof === 'read-back' ? 'list' : 'reply';
    return { kind: 'done', commandId, basis, failed: [], references: [end.passcode?.reference] };
  }
  return {
    limits,
    async put(session, [item], request) {
      if (item === undefined) return { kind: 'unsent' };
      const { number, window, name, reference } = item;
      const { startDate, endDate } = window;
      const command = { op: 'put-passcode', code: number, name: shortName(name), startDate, endDate } as const;
      return step(session, reference === undefined ? command : { ...command, reference }, request);
    },
    async remove(session, [item], request) {
      // Of a code without a reference the lock never said that it has it.
      if (item?.reference === undefined) return { kind: 'refused', error: 'reference-unknown', message: '' };
      return step(session, { op: 'remove-passcode', reference: item.reference }, request);
    },
    async list(session) {
      if (!limits.passcodes) return [];
      const answer = await send(session, { op: 'list-passcodes' });
      const listing = !isEnd(answer) && answer.end.kind === 'ok' ? answer.end.passcodes : undefined;
      return listing?.passcodes.map(
        ({ reference, code, startDate, endDate }): Shown => ({
          ...{ kind: 'passcode', number: code ?? null, reference },
          ...(startDate !== undefined && endDate !== undefined && { window: { ...always, startDate, endDate } }),
        }),
      );
    },
  };
}

/** As much of a name as fits in so many bytes. */
function shortName(name: string): string {
  let short = '';
  for (const letter of name || 'code') {
    if (utf8Length(short + letter) > longestName) break;
    short += letter;
  }
  return short;
}

function utf8Length(text: string): number {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%../g, 'x').length;
}
