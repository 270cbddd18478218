// Every log line that needs an operator has a code, and every code has a row in systemd/README.md that says what to do.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');
const levels = ['info', 'warn', 'error', 'fatal'];
/** Files that only pass on lines of others. */
const handsOn: Readonly<Record<string, RegExp>> = {
  'platform/logger.ts': /^logger\.\w+\(fields, message\)$/,
  'domain/rate-limited-log.ts': /^log\.warn\(last === /,
};

interface Line {
  readonly file: string;
  readonly level: string;
  readonly text: string;
  readonly code: string | undefined;
}

/** Every call of a log in the source, whole, except for debug. */
function linesOfSource(): Line[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    const calls = [...text.matchAll(/\b(?:log|logger|limited)(?:\??\.(?:info|warn|error|fatal)|\[[^\]]+\])\(/g)];
    return calls.flatMap(({ 0: start, index }) => {
      const call = text.slice(index, endOfCall(text, index + start.length - 1));
      if (handsOn[file]?.test(call)) return [];
      const code = /\bcode: '([\w-]+)'/.exec(call)?.[1];
      return levels.filter((level) => new RegExp(`\\b${level}\\b`).test(start)).map((level) => ({ file, level, text: call, code }));
    });
  });
}

/** The lines of domain events are in a table of their own: `kind: [level, sentence]`. */
function notices(): Line[] {
  const file = 'platform/logger.ts';
  const text = readFileSync(join(root, 'src', file), 'utf8');
  return [...text.matchAll(/^ {2}'([\w-]+)': \[\s*'(\w+)',\s/gm)]
    .map(([line, code = '', level = '']) => ({ file, level, text: line, code }))
    .filter(({ level }) => levels.includes(level));
}

function endOfCall(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return at + 1;
  }
  throw new Error(`a call that does not end: ${text.slice(open, open + 80)}`);
}

/** `code level`, as the page says. */
function rows(): string[] {
  const page = readFileSync(join(root, 'systemd/README.md'), 'utf8');
  const section = page.slice(page.indexOf('## Codes in the log'));
  return [...section.matchAll(/^\| (`.+?`) \| ([\w, ]+) \| (.+) \|$/gm)].flatMap(([, codes = '', saidLevels = '']) =>
    [...codes.matchAll(/`([\w-]+)`/g)].flatMap(([, code]) => saidLevels.split(', ').map((level) => `${code} ${level}`)),
  );
}

describe('the codes in the log', () => {
  const lines = [...linesOfSource(), ...notices()];

  test('every warning and error in the source has one', () => {
    expect(lines.length).toBeGreaterThan(60);
    expect(lines.filter(({ level, code }) => level !== 'info' && code === undefined)).toEqual([]);
  });

  test('each has a row in systemd/README.md with its level and what to do, and no row is left over', () => {
    const written = lines.flatMap(({ code, level }) => (code === undefined ? [] : [`${code} ${level}`]));
    const said = rows();
    expect(said.length).toBe(new Set(said).size);
    expect([...new Set(written)].sort()).toEqual(said.sort());
  });
});
