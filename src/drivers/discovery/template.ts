// The few templates that are understood. There is no Jinja here: any other one is refused by its text.

/** Makes the value of a payload; undefined: it has none. */
export type Template = (payload: string) => string | undefined;

const asItIs = /^\{\{\s*value\s*\}\}$/;
const member = /^\{\{\s*value_json((?:\.[A-Za-z_]\w*|\[(?:"[^"\\]*"|'[^'\\]*')\])+)\s*\}\}$/;
const step = /\.([A-Za-z_]\w*)|\["([^"\\]*)"\]|\['([^'\\]*)'\]/g;
const literals = String.raw`(?:"[^"\\]*"|'[^'\\]*')`;
/** That of Nuki: some values become one, all others stay. */
const twoBranches = new RegExp(
  String.raw`^\{%-?\s*if value in \((\s*${literals}(?:\s*,\s*${literals})*)\s*\)\s*-?%\}([^{}%]*)\{%-?\s*else\s*-?%\}\{\{\s*value\s*\}\}\{%-?\s*endif\s*-?%\}$`,
);

/** undefined: it is not understood. Without a template the value is the payload. */
export function templateOf(text: string | undefined): Template | undefined {
  const given = text?.trim() ?? '';
  if (given === '' || asItIs.test(given)) return (payload) => payload;
  const [, path] = member.exec(given) ?? [];
  if (path !== undefined) {
    const steps = [...path.matchAll(step)].map(([, plain, double, single]) => plain ?? double ?? single ?? '');
    return (payload) => valueAt(payload, steps);
  }
  const [, list, result] = twoBranches.exec(given) ?? [];
  if (list === undefined || result === undefined) return undefined;
  const replaced = new Set([...list.matchAll(/"([^"\\]*)"|'([^'\\]*)'/g)].map(([, double, single]) => double ?? single ?? ''));
  return (payload) => (replaced.has(payload) ? result.trim() : payload);
}

function valueAt(payload: string, steps: readonly string[]): string | undefined {
  let at: unknown;
  try {
    at = JSON.parse(payload);
  } catch {
    return undefined;
  }
  for (const name of steps) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  // As Jinja writes them.
  if (typeof at === 'boolean') return at ? 'True' : 'False';
  return typeof at === 'string' || typeof at === 'number' ? String(at) : undefined;
}
