// Parses the raw URL, because the usual parsers accept what must be refused: repeated parameters, bad percent-encoding, bad UTF-8.
import type { ParameterProblem } from '../../domain/errors.ts';

/** Values within a path, still percent-encoded. */
export type PathValues = Readonly<Record<string, string>>;

/** The path, as the client sent it. A server must accept a whole URI, too (RFC 9112 section 3.2.2); its host is ignored. */
export function pathOf(url: string): string {
  return /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] ?? '';
}

/**
 * The texts of the parameters called `names`, from the path and the query string; all others are ignored (HTTP API 1.1).
 * A repeated or undecodable parameter is added to `problems`. `+` is a space, as browsers and most clients write it.
 */
export function rawParameters(
  url: string,
  pathValues: PathValues,
  names: ReadonlySet<string>,
  problems: ParameterProblem[],
): Record<string, string> {
  // No prototype: a parameter may be called __proto__ or constructor.
  const found: Record<string, string> = Object.create(null);
  for (const name of Object.keys(pathValues)) take(name, pathValues[name] as string, found, problems);
  const start = url.indexOf('?');
  if (start === -1) return found;
  for (const pair of url.slice(start + 1).split('&')) {
    const equals = pair.indexOf('=');
    const name = formDecoded(equals === -1 ? pair : pair.slice(0, equals));
    if (name === undefined || !names.has(name) || Object.hasOwn(pathValues, name)) continue;
    if (problems.some((problem) => problem.parameter === name)) continue;
    if (name in found) problems.push({ parameter: name, message: 'must be given only once' });
    else take(name, spaced(equals === -1 ? '' : pair.slice(equals + 1)), found, problems);
  }
  return found;
}

function take(name: string, encoded: string, found: Record<string, string>, problems: ParameterProblem[]): void {
  const value = decoded(encoded);
  if (value === undefined) problems.push({ parameter: name, message: 'must be percent-encoded UTF-8' });
  else found[name] = value;
}

/** A name or value of a query or form as text; undefined when it is malformed. */
export function formDecoded(encoded: string): string | undefined {
  return decoded(spaced(encoded));
}

function spaced(encoded: string): string {
  return encoded.includes('+') ? encoded.replaceAll('+', ' ') : encoded;
}

/** Turns percent-encoded UTF-8 into text; undefined when it is malformed. (Node's parser has refused everything but ASCII in a URL.) */
function decoded(encoded: string): string | undefined {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
