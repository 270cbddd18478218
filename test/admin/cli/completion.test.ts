// Completion in the shells themselves: bash and zsh at a terminal with the TAB key, fish by its own command.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { commandTable } from '../../../src/admin/cli/commands.ts';
import { program } from '../../support/site.ts';

const table = commandTable(async () => undefined);
const run = promisify(execFile);
const there = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;
const [inZsh, inFish] = [there('zsh') ? test : test.skip, there('fish') ? test : test.skip];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchd-completion-'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await run(process.execPath, [program, 'completion', shell]);
    await writeFile(join(folder, shell), stdout);
  }
  await writeFile(join(folder, 'night.tar.gz'), '');
});
afterAll(() => rm(folder, { recursive: true }));

/** The words that bash offers behind these, the last of which may be unfinished. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const script = `source ./bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _latchd; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['--norc', '-uc', script, 'bash', 'latchd', ...words], { cwd: folder });
  return stdout.split('\n').filter((line) => line !== '');
}

/** Types at a terminal on which the shell has the completion, and resolves with what the shell made of it once `latchd` was run. */
async function typed(shell: readonly string[], setUp: string, keys: string): Promise<string> {
  const command = shell.map((word) => `'${word}'`).join(' ');
  // A pseudo-terminal, so that the shell reads keys.
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TERM: 'dumb', HOME: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    return await new Promise((resolve, reject) => {
      let said = '';
      child.once('close', () => reject(new Error(`the shell ended: ${said}`)));
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const wasReady = /^READY/m.test(said);
        said += text;
        if (!wasReady && /^READY/m.test(said)) child.stdin.write(keys);
        const [, words] = /^RAN (.*)\r$/m.exec(said) ?? [];
        if (words !== undefined) resolve(words);
      });
      child.stdin.write(`${setUp}\nlatchd() { echo "RAN $*"; }\necho READY\n`);
    });
  } finally {
    child.removeAllListeners('close');
    child.stdin.end();
    child.kill('SIGKILL');
  }
}

describe('bash', () => {
  test('completes every command, subcommand and option of the table', async () => {
    expect(await offered('')).toEqual([...table.map(({ name }) => name), '--help', '--version']);
    for (const line of table) {
      if ('commands' in line) expect(await offered(line.name, '')).toEqual([...line.commands.map(({ name }) => name), '--help']);
    }
    expect(await offered('lock', 'register', '02:CC:00:00:00:01', '--')).toEqual([
      ...[
        '--name',
        '--alias',
        '--group',
        '--administrator',
        '--driver',
        '--set',
        '--hub',
        '--json',
        '--config',
        '--data-dir',
        '--store',
        '--store-password-file',
        '--help',
      ],
    ]);
    expect(await offered('serve', '--mqtts-')).toEqual(['--mqtts-enabled', '--mqtts-host', '--mqtts-port']);
  });

  test.each([
    [['lo'], ['lock']],
    [
      ['pair', 'c'],
      ['confirm', 'close'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['export', '--format', ''],
      ['csv', 'jsonl'],
    ],
    [['serve', '--http-enabled', 't'], ['true']],
    [['restore', 'ni'], ['night.tar.gz']],
    [['backup', '--to', 'ni'], ['night.tar.gz']],
    // The value of an option is no command, and nobody can guess a name.
    [['--data-dir', 'lock', 've'], ['verify']],
    [['lock', 'register', '--name', ''], []],
    [['lock', 'register', '--name', 'list', '--al'], ['--alias']],
    [['nothing', 'li'], []],
  ])('latchd %j offers %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  test('completes at a terminal, with the TAB key', async () => {
    const words = await typed(['bash', '--norc', '--noprofile', '-i'], 'PS1=; source ./bash', 'latchd ver\t--js\t\n');
    expect(words).toBe('verify --json');
  });
});

describe('zsh', () => {
  inZsh('completes at a terminal, with the TAB key', async () => {
    const setUp = 'PS1=; autoload -Uz compinit; compinit -u -D; source ./zsh';
    expect(await typed(['zsh', '-f', '-i'], setUp, 'latchd acco\tcre\tada --admi\t\n')).toBe('account create ada --administrator');
    expect(await typed(['zsh', '-f', '-i'], setUp, 'latchd export --format j\t--lo\t7\n')).toBe('export --format jsonl --lock 7');
  });

  inZsh('from a folder of functions, as the package installs it', async () => {
    const setUp = 'PS1=; mkdir -p f; cp zsh f/_latchd; fpath=($PWD/f $fpath); autoload -Uz compinit; compinit -u -D';
    expect(await typed(['zsh', '-f', '-i'], setUp, 'latchd rest\tnig\t\n')).toBe('restore night.tar.gz');
  });
});

describe('fish', () => {
  const asked = async (line: string) => {
    const { stdout } = await run('fish', ['--no-config', '-c', 'source ./fish; complete -C "$argv"', line], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    return stdout
      .split('\n')
      .filter((one) => one !== '')
      .map((one) => one.split('\t')[0]);
  };

  inFish('commands, options and values, each where it may be', async () => {
    expect((await asked('latchd '))?.sort()).toEqual(table.map(({ name }) => name).sort());
    expect((await asked('latchd hub ')).sort()).toEqual(['key', 'list', 'register', 'remove']);
    expect(await asked('latchd verify --js')).toEqual(['--json']);
    expect(await asked('latchd export --format j')).toEqual(['jsonl']);
    expect(await asked('latchd restore ni')).toEqual(['night.tar.gz']);
    expect((await asked('latchd --data-dir lock completion ')).sort()).toEqual(['bash', 'fish', 'zsh']);
  });
});
