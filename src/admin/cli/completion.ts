// latchd completion: a completion script for a shell, made from the command table.

import { type Command, command, type Group } from './command.ts';
import { completable } from './completable.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { zshCompletion } from './completion-zsh.ts';
import { print } from './output.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
type Shell = keyof typeof scripts;

/** `table` is called when the command runs, because the command is itself part of it. */
export function completion(table: () => readonly (Command | Group)[]): Command {
  return command<{ readonly shell: Shell }>({
    name: 'completion',
    says: 'print the completion of this command line for a shell; the Debian package installs it',
    settings: 'none',
    arguments: [{ name: 'shell', says: 'which one', choices: Object.keys(scripts) }],
    examples: [
      ['completion bash > ~/.local/share/bash-completion/completions/latchd', 'for you alone, from the next shell on'],
      ['completion zsh > ~/.zfunc/_latchd', 'with fpath+=~/.zfunc before compinit in ~/.zshrc'],
      ['completion fish > ~/.config/fish/completions/latchd.fish', 'at once'],
    ],
    exits: [
      [0, 'done'],
      [1, 'the command was asked wrongly'],
    ],
    async run({ shell }) {
      print(scripts[shell](completable(table())));
      return 0;
    },
  });
}
