// Help that teaches: every command of the table says what it does, shows how, and what its exit codes mean.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { Command } from '../../../src/admin/cli/command.ts';
import { commandTable } from '../../../src/admin/cli/commands.ts';
import { optionsOf } from '../../../src/admin/cli/options.ts';
import { parserOf } from '../../../src/admin/cli/program.ts';
import { program } from '../../support/site.ts';

const table = commandTable(async () => undefined);
/** Each with its first words, such as `lock list`. */
const commands = table.flatMap((line): readonly (readonly [string, Command])[] =>
  'run' in line ? [[line.name, line]] : line.commands.map((command) => [`${line.name} ${command.name}`, command]),
);
const groups = table.filter((line) => 'commands' in line);

const parser = parserOf({ table, version: '1.2.3', defaultConfigFile: '' });

/** The help as it is printed when the width of the terminal is unknown. */
function help(words: string): string {
  let text = '';
  const found = words.split(' ').reduce((at, word) => at.commands.find((below) => below.name() === word) ?? at, parser);
  const writeOut = (part: string) => {
    text += part;
  };
  found.configureOutput({ writeOut, getOutHelpWidth: () => 80 }).outputHelp();
  return text;
}

/** commander decides about line breaks. */
const flowing = (text: string) => text.replaceAll(/\s+/g, ' ');

describe('help', () => {
  test('is what --help prints, to standard output and nowhere else', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, 'lock', 'register', '--help']);
    expect([stdout, stderr]).toEqual([help('lock register'), '']);
  });

  test.each(commands)('latchd %s', (words, { says, examples, arguments: expected = [] }) => {
    const text = help(words);
    expect(text).toMatch(new RegExp(`^Usage: latchd ${words} `));
    expect(flowing(text)).toContain(flowing(says));
    for (const { says: explained } of expected) expect(flowing(text)).toContain(flowing(explained));
    expect(examples.length).toBeGreaterThan(0);
    for (const [line, does] of examples) expect(text).toContain(`  latchd ${line}\n      ${does}\n`);
    expect(text).toMatch(/\nExit codes:\n {2}0 {3}\S.*\n {2}1 {3}\S/);
  });

  test.each(groups.map(({ name }) => name))('latchd %s: its commands, an example of each', (name) => {
    const text = help(name);
    for (const command of groups.find((group) => group.name === name)?.commands ?? []) {
      expect(text).toMatch(new RegExp(`^  ${command.name} `, 'm'));
      expect(text).toContain(`  latchd ${command.examples[0]?.[0]}\n`);
    }
  });

  test('latchd: every command, first steps, exit codes', () => {
    const text = help('');
    for (const { name } of table) expect(text).toMatch(new RegExp(`^  ${name} `, 'm'));
    for (const part of ['First steps:\n  latchd doctor\n', 'Exit codes:\n  0 ', '\n  78  ']) expect(text).toContain(part);
  });
});

describe('the table', () => {
  test('has examples only with commands and options that exist', () => {
    for (const [, { examples }] of commands) {
      for (const [line] of examples) {
        // Up to the next command of the shell.
        const own = line.split(/ [|>&]/)[0] ?? '';
        const [words, command] = commands.find(([name]) => `${own} `.startsWith(`${name} `)) ?? [];
        expect([own, words]).toEqual([own, expect.any(String)]);
        const known = command === undefined ? [] : optionsOf(command).map(({ flag }) => flag);
        const flags: readonly string[] = own.match(/--[\w-]+/g) ?? [];
        expect([own, flags.filter((flag) => !known.includes(flag as `--${string}`))]).toEqual([own, []]);
      }
    }
  });

  test('has --json for every command except those whose output is something else', () => {
    const without = commands.filter(([, command]) => !optionsOf(command).some(({ flag }) => flag === '--json'));
    expect(without.map(([words]) => words)).toEqual(['serve', 'access export', 'export', 'capture', 'mcp', 'completion']);
  });
});
