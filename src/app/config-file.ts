// The configuration file as YAML: its values, and the line of each.
import { readFileSync } from 'node:fs';
import { type Document, LineCounter, parseDocument, type YAMLParseError } from 'yaml';

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};

export interface ConfigFile {
  readonly value: unknown;
  /** The place of a problem, for its message: `file:line: `, or `file: `. */
  place(path: readonly PropertyKey[]): string;
  /** `file:line` of a setting that is in the file. */
  line(path: readonly PropertyKey[]): string | undefined;
}

/** Adds to `problems` what is wrong with the file as YAML, or that it cannot be read; then `value` is empty. */
export function readConfigFile(file: string, problems: string[]): ConfigFile {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    problems.push(`${file}: ${unreadable[code] ?? 'cannot be read'} (${code})`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  for (const error of document.errors) problems.push(`${file}:${lines.linePos(error.pos[0]).line}: ${inWords(error)}`);
  const line = (path: readonly PropertyKey[]): string | undefined => {
    const node = document.getIn(path, true) as { range?: [number, number, number] } | undefined;
    return node?.range && `${file}:${lines.linePos(node.range[0]).line}`;
  };
  const place = (path: readonly PropertyKey[]): string => {
    // An unknown key has its own line; for a missing value, the line of its parent is used.
    for (let depth = path.length; depth > 0; depth--) {
      const found = line(path.slice(0, depth));
      if (found !== undefined) return `${found}: `;
    }
    return `${file}: `;
  };
  return { value: document.errors.length > 0 ? {} : settingsOf(document, file, problems), place, line };
}

/** Problems that the parser finds only when it combines the values, such as an alias of nothing, have no line. */
function settingsOf(document: Document, file: string, problems: string[]): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    problems.push(`${file}: ${(error as Error).message}`);
    return {};
  }
}

function inWords({ code, message }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here: the settings are one';
  return message.replace(/ at line \d+, column \d+:(.|\n)*$/, '');
}
