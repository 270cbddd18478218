// latchd card: what is lost. The running daemon does it, because it tells the locks at once.
import { command, type Group } from './command.ts';
import { askForAll, inWords, manageRunning } from './management.ts';
import { counted, dateText, jsonOption, print, printTable, say } from './output.ts';

interface RevokedLock {
  readonly lockId: number;
  readonly state: string;
  readonly proof?: { readonly basis: string; readonly date: number };
  readonly admitsUntil?: number | null;
  readonly do?: readonly string[];
}

interface Report {
  readonly revocationId: number;
  readonly certain: boolean;
  readonly doors: { readonly dead: number; readonly open: number };
  readonly locks: readonly RevokedLock[];
}

interface NamedLock {
  readonly lockId: number;
  readonly lockAlias: string;
}

const lost = command<{ readonly json?: true; readonly cardNumber: string; readonly reason?: string }>({
  name: 'lost',
  says: 'a card is lost: take it off every lock, and show where it is surely dead; again, to see how far that is',
  settings: 'directory',
  arguments: [{ name: 'cardNumber', says: 'as it is printed on the card, or as a reader gave it' }],
  options: [{ flag: '--reason', value: '<text>', says: 'for the report and the audit log' }, jsonOption],
  examples: [['card lost 1325672378 --reason "lost in town"', 'the card of a person, or of nobody']],
  async run({ cardNumber, reason, json }, { configured }) {
    const body = { cardNumber, ...(reason !== undefined && { reason }) };
    const { report, locks } = await inWords(
      { listed: 'card lost' },
      manageRunning(configured(), async (ask) => ({
        report: await ask<Report>('POST /api/v1/access/cards/lost', { body }),
        locks: json ? [] : await askForAll<NamedLock>(ask, 'GET /api/v1/gateway/locks'),
      })),
    );
    if (json) print(JSON.stringify(report));
    else show(report, new Map(locks.map(({ lockId, lockAlias }) => [lockId, lockAlias])));
    return 0;
  },
});

function show({ certain, doors, locks }: Report, names: ReadonlyMap<number, string>): void {
  if (locks.length === 0) {
    say('no lock ever had a card of this number, in any byte order: compare it with the number on the card');
    return;
  }
  printTable(locks, {
    lock: ({ lockId }) => lockId,
    name: ({ lockId }) => names.get(lockId) ?? '',
    state: ({ state }) => state,
    proof: ({ proof }) => (proof === undefined ? '-' : `${proof.basis} ${dateText(proof.date)}`),
    'opens until': (lock) => untilText(lock),
    'what to do': ({ do: advice = [] }) => advice.join('; or '),
  });
  say(
    certain
      ? `it is dead everywhere (${counted(doors.dead, 'lock')})`
      : `${counted(doors.open, 'lock')} may still open for it, ${doors.dead} surely not: ask again to see how far that is`,
  );
}

function untilText({ admitsUntil }: RevokedLock): string {
  if (admitsUntil === undefined) return '-';
  return admitsUntil === null ? 'without end' : dateText(admitsUntil);
}

export const cards: Group = {
  name: 'card',
  says: 'report a card lost',
  commands: [lost],
};
