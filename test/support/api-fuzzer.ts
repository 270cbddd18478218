// Requests made from the document of the API: those that it describes, and those that it does not.
import { type IncomingHttpHeaders, request } from 'node:http';
import fc from 'fast-check';
import type { ApiDocument, Operation, RequestContext } from './api-document.ts';

export interface FuzzRequest {
  readonly operationId: string;
  /** Nothing in it goes beyond the document. */
  readonly plain: boolean;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly query: string;
  /** Index of a token; undefined: none. */
  readonly token: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Ids and dates that exist, or nearly. */
const likelyIntegers = [0, 1, 2, 3, 7, 8, 9, 10, 99, 100, 1000, 1001, 65_535, 1_700_000_000_000, Number.MAX_SAFE_INTEGER];
const likelyNames = ['ada', 'max', 'ole', 'admin', 'a4c1387f02e7', 'A4:C1:38:7F:02:E8', '1325672378'];
const hostile = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '-1',
    '+7',
    '1e3',
    '0x10',
    '7.0',
    'NaN',
    'null',
    '%',
    '%zz',
    '%ff',
    '%00',
    '__proto__',
    '../../etc/passwd',
    '9'.repeat(400),
  ),
  fc.string({ unit: 'binary', maxLength: 80 }),
);

/** Any value that this schema allows. */
function valueFor(schema: Schema): fc.Arbitrary<unknown> {
  const { type, pattern, minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER, minLength = 0, maxLength = 30 } = schema;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map(valueFor));
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueFor));
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') {
    const likely = likelyIntegers.filter((value) => value >= minimum && value <= maximum);
    const any = fc.bigInt({ min: BigInt(minimum), max: BigInt(maximum) }).map(Number);
    return likely.length > 0 ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...likely) }, any) : any;
  }
  if (type === 'array') {
    const { items = {}, minItems = 0, maxItems = 5 } = schema;
    return fc.array(valueFor(items), { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 5)) });
  }
  if (type === 'object') {
    const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [name, valueFor(member)] as const);
    return fc.record(Object.fromEntries(members), { requiredKeys: [...(schema.required ?? [])] });
  }
  const likely = likelyNames.filter((name) => pattern === undefined || new RegExp(pattern, 'u').test(name));
  const any =
    pattern === undefined || pattern.startsWith('^[^')
      ? printable(minLength, maxLength).filter((text) => pattern === undefined || new RegExp(pattern).test(text))
      : fc.stringMatching(new RegExp(pattern));
  return likely.length > 0 ? fc.oneof(fc.constantFrom(...likely), any) : any;
}

function printable(minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: 'grapheme-composite', minLength, maxLength: Math.min(maxLength, 40) }).filter((text) => {
    const length = [...text].length;
    return length >= minLength && length <= maxLength && text.isWellFormed() && !/\p{Cc}/u.test(text);
  });
}

const plainHeaders = { accept: 'application/json' };
const oddHeaders = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { accept: 'text/html' },
  { accept: '*/*;q=0' },
  { accept: 'application/json', authorization: 'Basic x' },
  { accept: 'application/json', 'content-type': 'text/plain' },
  { accept: 'application/json', 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { accept: 'application/json', 'if-none-match': '*' },
);
const oddBodies = fc.oneof(
  fc.constantFrom('', '{', '[]', 'null', '"x"', '{"a":1,"a":2}', '{"__proto__":{"x":1}}', `{"x":"${'y'.repeat(66_000)}"}`),
  fc.json(),
);

/** Requests for every operation whose answer ends; about a third of them go beyond the document somewhere. */
export function fuzzRequests(document: ApiDocument): fc.Arbitrary<FuzzRequest> {
  const endless = ({ responses }: Operation) => JSON.stringify(responses['200'] ?? {}).includes('text/event-stream');
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => !endless(operation))
      .map(([method, operation]) =>
        fc.oneof({ weight: 2, arbitrary: asked(path, method, operation, false) }, asked(path, method, operation, true)),
      ),
  );
  return fc.oneof(...all);
}

function asked(path: string, method: string, operation: Operation, odd: boolean): fc.Arbitrary<FuzzRequest> {
  const { operationId, parameters = [], requestBody, security } = operation;
  const oddly = <T>(plain: fc.Arbitrary<T>, other: fc.Arbitrary<T>) => (odd ? fc.oneof({ weight: 3, arbitrary: plain }, other) : plain);
  const values = parameters.map(({ required, schema, in: place }) => {
    const plain = valueFor(schema as Schema).map((value) => [encodeURIComponent(String(value))]);
    const optional = required ? plain : fc.oneof(plain, fc.constant([]));
    if (place === 'path')
      return oddly(
        plain.map(nonempty),
        hostile.map((text) => nonempty([encoded(text)])),
      );
    return oddly(
      optional,
      fc.oneof(
        hostile.map((text) => [encoded(text)]),
        fc.constant([]),
        fc.constant(['7', '7']),
      ),
    );
  });
  const [mediaType = 'application/json', content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const sent = content && valueFor(content.schema as Schema);
  const body = sent?.map((value) => (mediaType === 'application/json' ? JSON.stringify(value) : String(value)));
  return fc
    .record({
      values: fc.tuple(...values),
      body: body === undefined ? oddly<string | undefined>(fc.constant(undefined), oddBodies) : oddly(body, oddBodies),
      headers: oddly(fc.constant(plainHeaders as Readonly<Record<string, string>>), oddHeaders),
      token: oddly(fc.nat({ max: 3 }), fc.constantFrom(undefined, 99)) as fc.Arbitrary<number | undefined>,
      method: oddly(fc.constant(method.toUpperCase()), fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS')),
      ending: oddly(fc.constant(''), fc.constantFrom('/', '/x', '%2f', '//')),
    })
    .map(({ values, body, headers, token, method, ending }) => {
      const given = parameters.map(({ name, in: place }, index) => ({ name, place, values: values[index] as readonly string[] }));
      const filled = given
        .filter(({ place }) => place === 'path')
        .reduce((so, { name, values }) => so.replace(`{${name}}`, () => values[0] ?? 'x'), path);
      const query = given.filter(({ place }) => place === 'query').flatMap(({ name, values }) => values.map((value) => `${name}=${value}`));
      return {
        ...{
          operationId,
          plain: !odd,
          method,
          path: `${filled}${ending}`,
          query: query.join('&'),
          token: security ? undefined : token,
          body,
        },
        headers: body === undefined ? headers : { 'content-type': mediaType, ...headers },
      };
    });
}

/** A path of its own is not what an empty value asks for. */
function nonempty(values: readonly string[]): string[] {
  return values.map((value) => (value === '' || value === '.' || value === '..' ? 'x' : value));
}

/** Half of what is hostile reaches the gateway as it is, as far as a URL may hold it. */
function encoded(text: string): string {
  return /^[!-"$%'-.0-;=@-~]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}

/** Sends it as it is and gives what came back, for the judge. */
export function sendFuzz(
  origin: string,
  asked: FuzzRequest,
  tokens: readonly string[],
): Promise<RequestContext & { readonly headers: IncomingHttpHeaders }> {
  const { method, path, query, token, headers, body } = asked;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${tokens[token] ?? 'nobody-has-this'}` };
  // Without it, a body of a GET would be taken for the next request.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const options = {
      hostname,
      port,
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers: { ...authorization, ...headers, ...length },
    };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode: status = 0, headers } = response;
        const json = /json/.test(headers['content-type'] ?? '');
        const answered = text === '' ? undefined : json ? JSON.parse(text) : text;
        resolve({ method, path, status, headers, header: (name) => headers[name.toLowerCase()] as string | undefined, body: answered });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Rules about several values at once, which a document can only tell in words. */
const inWords = new Set([
  // Of a body: there must be such a one.
  'lockId',
  'personId',
  'credentialId',
  'queue',
  'keyboardPwd',
  'digits',
  'startDate',
  'scheduleId',
  'groupId',
  'endDate',
  'lockSound',
  'lockName',
  'lockMac',
  'hubId',
  'driver.kind',
  'cardNumber',
  'url',
  'callback',
  // Not in the future.
  'date',
  'knownAt',
  'body',
  // Of who signs in: a token, or a username with its password, and what an authenticator said.
  'current',
  'token',
  'password',
  'response',
  // Each once.
  'groupIds',
  'lockIds',
  // Of each line of a schedule, each holiday, and each member of a person that another system keeps.
  'hours.to',
  'dates',
  'credentials.cardNumber',
  'credentials.digits',
  'credentials.endDate',
  'grants.endDate',
]);

/** What is wrong with how a request was refused: the document alone says it is fine. */
export function wrongRefusal({ plain, operationId }: FuzzRequest, { status, body }: RequestContext): string | undefined {
  if (status === 500) return `${operationId} met a bug`;
  const { code, errors = [] } = (body ?? {}) as { readonly code?: string; readonly errors?: readonly { readonly parameter: string }[] };
  if (!plain || code !== 'invalid-parameter') return undefined;
  const strange = errors.filter(({ parameter }) => !inWords.has(parameter.replace(/\.\d+/g, '')));
  return strange.length > 0 ? `${operationId} refuses what the document allows: ${JSON.stringify(strange)}` : undefined;
}
