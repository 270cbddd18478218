// What the terminals of the simulator have in common: how they are asked, and how words of a person are read.

/** Writes one line to the person. */
export type WriteLine = (line: string) => void;

export interface Terminal {
  /** Executes one line; false when the person wants to quit. Never rejects: it writes what is wrong. */
  run(line: string): Promise<boolean>;
}

export function act(action: () => void): string {
  action();
  return 'done';
}

/** 0 to 100; throws a sentence. */
export function percent(text: string | undefined): number {
  if (!/^[0-9]{1,3}$/.test(text ?? '') || Number(text) > 100) throw new Error('say 0 to 100');
  return Number(text);
}

/** Throws a sentence when it is missing. */
export function needed(argument: string | undefined, what: string): string {
  if (argument === undefined) throw new Error(`${what} is missing`);
  return argument;
}
