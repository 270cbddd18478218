// An error that the gateway answered, or that it could not be reached.

/** An error by its `code` (the errors of the HTTP API), or `unreachable`. `detail` is the gateway's own sentence, in English. */
export class Problem extends Error {
  readonly code: string;
  readonly detail: string;
  /** Wrong parameters by their name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The lock's own word, with `lock-refused`. */
  readonly lockError: string | undefined;
  /** After how many seconds it may be tried again, with `rate-limited`. */
  readonly retryAfter: number | undefined;

  constructor(code: string, detail = '', parameters: ReadonlyMap<string, string> = new Map(), lockError?: string, retryAfter?: number) {
    super(`${code}: ${detail}`);
    this.name = 'Problem';
    this.code = code;
    this.detail = detail;
    this.parameters = parameters;
    this.lockError = lockError;
    this.retryAfter = retryAfter;
  }
}

interface ProblemBody {
  readonly code?: string;
  readonly detail?: string;
  readonly lockError?: string;
  readonly errors?: readonly { readonly parameter: string; readonly message: string }[];
}

/** Never rejects: an answer that is no problem of the gateway (from a proxy in between) is `unreachable`. */
export async function problemOf(response: Response): Promise<Problem> {
  try {
    const { code, detail, lockError, errors = [] } = (await response.json()) as ProblemBody;
    const parameters = new Map(errors.map((error) => [error.parameter, error.message]));
    const retryAfter = Number(response.headers.get('retry-after')) || undefined;
    if (typeof code === 'string') return new Problem(code, detail, parameters, lockError, retryAfter);
  } catch {
    // The body is no problem of the gateway: see below.
  }
  return new Problem('unreachable', `${response.status}`);
}
