// The configuration file as YAML: what it says, and on which line it says so.
import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';

export interface ConfigFile {
  readonly value: unknown;
  /** Where to look for what is wrong: `file:line: `, or `file: `. */
  place(path: readonly PropertyKey[]): string;
  /** `file:line` of a setting that is in the file. */
  line(path: readonly PropertyKey[]): string | undefined;
}

/** What is wrong with it as YAML, or that it cannot be read, is added to `problems`; `value` is empty then. */
export function readConfigFile(file: string, problems: string[]): ConfigFile {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    problems.push(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  for (const error of document.errors) problems.push(`${file}:${lines.linePos(error.pos[0]).line}: ${error.message.split('\n')[0]}`);
  const line = (path: readonly PropertyKey[]): string | undefined => {
    const node = document.getIn(path, true) as { range?: [number, number, number] } | undefined;
    return node?.range && `${file}:${lines.linePos(node.range[0]).line}`;
  };
  const place = (path: readonly PropertyKey[]): string => {
    // A key that should not be there has its own line; the value of a missing one has its parent's.
    for (let depth = path.length; depth > 0; depth--) {
      const found = line(path.slice(0, depth));
      if (found !== undefined) return `${found}: `;
    }
    return `${file}: `;
  };
  const value: unknown = document.errors.length > 0 ? {} : (document.toJS() ?? {});
  return { value, place, line };
}
