// The shape of a line in the command table. The table is plain values, so that help, completion and the parser are made from the same lines.
import type { Config, LoadedConfig } from '../../app/config.ts';

export interface Option {
  /** `--lock`; what is given arrives as `lock` (`--data-dir` as `dataDir`). */
  readonly flag: `--${string}`;
  /** `<lockId>`; absent: a switch, which arrives as true. */
  readonly value?: `<${string}>`;
  readonly says: string;
  readonly required?: true;
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** The value when it is not given. */
  readonly otherwise?: string;
  /** Turns the text into what arrives; throws a WrongValue. */
  readonly read?: (text: string) => unknown;
}

export interface Argument {
  readonly name: string;
  readonly says: string;
  readonly optional?: true;
  readonly choices?: readonly string[];
  readonly read?: (text: string) => unknown;
}

/** What a command finds around it. */
export interface Surroundings {
  /** The configuration as this command line asks for it. @throws ConfigError with every problem */
  configured(): Config;
  /** The same, and where each value comes from. */
  loaded(): LoadedConfig;
  readonly version: string;
}

export interface Command<Given = unknown> {
  readonly name: string;
  readonly says: string;
  /** Which settings it takes as flags: every one, only where the data is, or none. */
  readonly settings: 'all' | 'directory' | 'none';
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Shown below its help: command lines without `latchd`, each with what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** What its exit codes mean, where that is not the usual. */
  readonly exits?: readonly (readonly [code: number, meaning: string])[];
  /** Resolves with the exit code; what it rejects with is said in one sentence, with 1. */
  run(given: Given, surroundings: Surroundings): Promise<number>;
}

/** Commands under one first word, such as `lock`. */
export interface Group {
  readonly name: string;
  readonly says: string;
  readonly commands: readonly Command[];
}

/** What is wrong with a value, as the end of a sentence: `it must be a positive integer.` */
export class WrongValue extends Error {}

/** A command whose options and arguments arrive as `Given`. */
export function command<Given>(definition: Command<Given>): Command {
  return definition as Command;
}
