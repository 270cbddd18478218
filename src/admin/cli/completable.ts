// The command table in the form that shell completion needs: the words that may come at each place, and what may follow an option.
import type { Argument, Command, Group, Option } from './command.ts';
import { optionsOf } from './options.ts';

/** The value of an option or argument: one of these words, a file, or something that cannot be completed. */
export type Value = readonly string[] | 'file' | 'anything';

interface Word {
  readonly word: string;
  readonly says: string;
}

/** `value` is undefined for an option without one. */
interface Flag extends Word {
  readonly value?: Value;
}

/** A place on the command line: after `latchd`, after `latchd lock`, after `latchd lock list`. */
export interface CompletableWord {
  /** `lock list`; '' at the beginning. */
  readonly path: string;
  /** Commands that may come next. */
  readonly commands: readonly Word[];
  readonly flags: readonly Flag[];
  /** The kind of the first argument; undefined when there is none. */
  readonly argument: Value | undefined;
}

const help: Flag = { word: '--help', says: 'explain it, with examples' };

export function completable(table: readonly (Command | Group)[]): readonly CompletableWord[] {
  const version: Flag = { word: '--version', says: 'print the version' };
  const words = (lines: readonly (Command | Group)[]) => lines.map(({ name, says }) => ({ word: name, says }));
  const first: CompletableWord = { path: '', commands: words(table), flags: [help, version], argument: undefined };
  const others = table.flatMap((line) => {
    if ('run' in line) return [placeOf(line.name, line)];
    const group: CompletableWord = { path: line.name, commands: words(line.commands), flags: [help], argument: undefined };
    return [group, ...line.commands.map((command) => placeOf(`${line.name} ${command.name}`, command))];
  });
  return [first, ...others];
}

/** Every option of the program that takes a value, once. */
export function flagsWithValue(places: readonly CompletableWord[]): readonly string[] {
  const words = places.flatMap(({ flags }) => flags.filter(({ value }) => value !== undefined).map(({ word }) => word));
  return [...new Set(words)];
}

function placeOf(path: string, command: Command): CompletableWord {
  const [argument] = command.arguments ?? [];
  const flags = optionsOf(command).map((option): Flag => {
    const { flag: word, says, value } = option;
    return value === undefined ? { word, says } : { word, says, value: valueBehind(option) };
  });
  return { path, commands: [], flags: [...flags, help], argument: argument && valueBehind(argument) };
}

function valueBehind(given: Option | Argument): Value {
  if (given.choices) return given.choices;
  const hint = 'flag' in given ? (given.value ?? '') : given.name;
  if (hint === '<true|false>') return ['true', 'false'];
  return /file|folder|archive/.test(hint) ? 'file' : 'anything';
}
