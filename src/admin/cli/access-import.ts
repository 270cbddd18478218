// latchd access import and export: people and what they may open, as a table. Only the running daemon does it.
import { readFile } from 'node:fs/promises';
import { command } from './command.ts';
import { type Ask, inWords, manageRunning } from './management.ts';
import { counted, jsonOption, output, print, printable, printTable, say } from './output.ts';

interface Plan {
  readonly importId: string | null;
  readonly plan: string | null;
  readonly errors: readonly { readonly line: number; readonly column: string | null; readonly message: string }[];
  readonly errorCount: number;
  readonly people: { readonly added: number; readonly updated: number; readonly unchanged: number; readonly extraneous: number };
  readonly locks: readonly { readonly lockId: number; readonly added: number; readonly removed: number; readonly different: number }[];
  readonly removesMoreThanAQuarter: boolean;
}

interface Import {
  readonly state: string;
  readonly conflicts: readonly { readonly line: number | null; readonly message: string }[];
  readonly conflictCount: number;
  readonly reason: string;
}

interface ImportGiven {
  readonly file: string;
  readonly apply?: true;
  readonly absent: (typeof absents)[number];
  readonly json?: true;
}

const absents = ['keep', 'revoke'] as const;
const separators = ['comma', 'semicolon', 'tab'] as const;
const askEveryMs = 250;

export const importCommand = command<ImportGiven>({
  name: 'import',
  says: 'say what a table of people and doors would change, and with --apply change it',
  settings: 'directory',
  arguments: [{ name: 'file', says: 'CSV or TSV, as access export writes it, or an ACL file of uhppoted' }],
  options: [
    { flag: '--apply', says: 'apply it, if it has no error' },
    {
      flag: '--absent',
      value: '<what>',
      says: 'people who are not in it stay as they are, or lose its doors',
      choices: absents,
      otherwise: 'keep',
    },
    jsonOption,
  ],
  examples: [
    ['access import staff.csv', 'look first'],
    ['access import staff.csv --apply --absent revoke', 'the table is the whole truth about its doors'],
  ],
  exits: [
    [0, 'it has no error, and is applied if that was asked'],
    [1, 'it has errors, and nothing was changed; or some people were left as they are'],
  ],
  async run(given, { configured }) {
    const text = await readFile(given.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new Error(`${given.file} cannot be read (${error.code}): name the table that is to be imported`);
    });
    return inWords(
      { listed: 'access export' },
      manageRunning(configured(), (ask) => importTable(ask, text, given)),
    );
  },
});

async function importTable(ask: Ask, text: string, { apply, absent, json }: ImportGiven): Promise<number> {
  const plan = await ask<Plan>('POST /api/v1/access/imports', { parameters: { absent }, body: { text } });
  if (!json) showPlan(plan);
  else if (!apply || plan.importId === null) print(JSON.stringify(plan));
  if (plan.importId === null) return 1;
  if (!apply) return 0;
  const parameters = { importId: plan.importId };
  await ask('POST /api/v1/access/imports/{importId}/apply', { parameters, body: { plan: plan.plan } });
  for (;;) {
    const seen = await ask<Import>('GET /api/v1/access/imports/{importId}', { parameters });
    if (seen.state !== 'applying') return showEnd(seen, json === true);
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
}

function showEnd(seen: Import, json: boolean): number {
  if (json) print(JSON.stringify(seen));
  for (const { line, message } of seen.conflicts) say(`${line === null ? 'somebody who is not in it' : `line ${line}`}: ${message}`);
  if (seen.reason !== '') say(`it stopped: ${seen.reason}`);
  return seen.state === 'done' && seen.conflictCount === 0 ? 0 : 1;
}

function showPlan({ errors, errorCount, people, locks, removesMoreThanAQuarter }: Plan): void {
  for (const { line, column, message } of errors) say(`line ${line}${column === null ? '' : `, ${printable(column)}`}: ${message}`);
  if (errorCount > errors.length) say(`and ${errorCount - errors.length} more`);
  if (errorCount > 0) {
    say(`nothing was changed, because of ${counted(errorCount, 'error')}`);
    return;
  }
  const { added, updated, unchanged, extraneous } = people;
  say(`people: ${added} added, ${updated} updated, ${unchanged} unchanged, ${extraneous} not in it`);
  if (removesMoreThanAQuarter) say('more than a quarter of what cards open now would go: look twice');
  if (locks.length === 0) return;
  printTable(locks, {
    lock: ({ lockId }) => lockId,
    added: (lock) => lock.added,
    removed: (lock) => lock.removed,
    different: (lock) => lock.different,
  });
}

export const exportAccess = command<{ readonly separator: (typeof separators)[number] }>({
  name: 'export',
  says: 'write people and what they may open as a table, which access import reads back',
  settings: 'directory',
  options: [{ flag: '--separator', value: '<separator>', says: 'between the cells', choices: separators, otherwise: 'comma' }],
  examples: [['access export > staff.csv', 'for a spreadsheet']],
  async run({ separator }, { configured }) {
    const work = manageRunning(configured(), (ask) =>
      ask<{ readonly text: string }>('GET /api/v1/access/export.csv', { parameters: { separator } }),
    );
    output().write((await inWords({ listed: 'access export' }, work)).text);
    return 0;
  },
});
