// The parameters of TTLock's cloud: those of the query and of a form in the body together, with GET and POST alike.
import type { IncomingMessage } from 'node:http';
import { DomainError, invalidParameter, type ParameterProblem } from '../../domain/errors.ts';
import { decodeUtf8, isPlain, readBytes } from '../pipeline/body-bytes.ts';
import { strangersBytesAtMost } from '../pipeline/json-body.ts';
import { formDecoded } from '../pipeline/raw-query.ts';

const bytesAtMost = 64 * 1024;
/** Large forms that are read at one time: nobody knows yet who sends them. */
const largeAtMost = 128;

/** The texts of the parameters, and what is wrong with those that are not among them. */
export interface FormValues {
  readonly values: Readonly<Record<string, string>>;
  readonly problems: readonly ParameterProblem[];
}

/**
 * Returns a function that reads the form in a body; "" without one. It rejects with `too-large` above 64 KiB, with `rate-limited` when too many
 * large ones come at once, and with `invalid-parameter` for what is no form in UTF-8. The Content-Type of a GET is ignored.
 */
export function createFormReader(): (request: IncomingMessage) => Promise<string> {
  let large = 0;
  return async (request) => {
    const { headers } = request;
    const isChunked = headers['transfer-encoding'] !== undefined;
    const declared = Number(headers['content-length'] ?? 0);
    if (!isChunked && declared === 0) return '';
    requireForm(request);
    const isLarge = declared > strangersBytesAtMost || isChunked;
    if (isLarge && declared <= bytesAtMost && large >= largeAtMost)
      throw new DomainError('rate-limited', 'too many large forms are being read', { retryAfterSeconds: 1 });
    if (isLarge) large += 1;
    try {
      return decodeUtf8(await readBytes(request, bytesAtMost));
    } finally {
      if (isLarge) large -= 1;
    }
  };
}

function requireForm({ method, headers }: IncomingMessage): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(/\s*;\s*/);
  const isUtf8 = parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter));
  const isForm = (type === '' || type === 'application/x-www-form-urlencoded') && isUtf8;
  if ((method === 'GET' || isForm) && isPlain(headers)) return;
  throw invalidParameter('body', 'must be application/x-www-form-urlencoded in UTF-8, without content encoding');
}

/** The values of the parameters called `names`; all others are ignored. One that comes twice must have the same value. */
export function formValues(url: string, body: string, names: ReadonlySet<string>): FormValues {
  // No prototype: a parameter may be called __proto__ or constructor.
  const values: Record<string, string> = Object.create(null);
  const refused = new Map<string, string>();
  const start = url.indexOf('?');
  for (const text of [start === -1 ? '' : url.slice(start + 1), body]) {
    for (const pair of text.split('&')) {
      const equals = pair.indexOf('=');
      const name = formDecoded(equals === -1 ? pair : pair.slice(0, equals));
      if (name === undefined || !names.has(name) || refused.has(name)) continue;
      const value = formDecoded(equals === -1 ? '' : pair.slice(equals + 1));
      if (value === undefined) refused.set(name, 'must be percent-encoded UTF-8');
      else if ((values[name] ?? value) !== value) refused.set(name, 'is there twice, with different values');
      else values[name] = value;
    }
  }
  for (const name of refused.keys()) delete values[name];
  return { values, problems: [...refused].map(([parameter, message]) => ({ parameter, message })) };
}
