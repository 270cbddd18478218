// The client of the demo: speaks to the gateway over HTTP, prints requests and answers, and counts the answers that were not as expected.
import { isDeepStrictEqual } from 'node:util';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface DemoClient {
  /** Sends one request and prints it with its answer. */
  request(method: string, path: string): Promise<Answer>;
  /** Repeats a request until `enough` holds and prints it once; after 15 s it returns the last answer. */
  requestUntil(method: string, path: string, enough: (answer: Answer) => boolean): Promise<Answer>;
  heading(text: string): void;
  /** Prints a line about what happens at a door. */
  tell(text: string): void;
  /** Prints whether something is as expected. */
  expect(what: string, actual: unknown, expected: unknown): void;
  readonly unexpected: number;
}

const patienceMs = 60_000;
const betweenMs = 50;

/** `write` gets whole lines. */
export function createDemoClient(options: {
  readonly httpUrl: string;
  readonly token: string;
  readonly write: (line: string) => void;
}): DemoClient {
  const { httpUrl, token, write } = options;
  let unexpected = 0;

  async function ask(method: string, path: string): Promise<Answer> {
    const response = await fetch(httpUrl + path, { method, headers: { Accept: 'application/json', Authorization: `Bearer ${token}` } });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body };
  }

  function show(method: string, path: string, answer: Answer): void {
    write(`  > ${method} ${path}`);
    const online = answer.headers.get('latchd-lock-online');
    write(`  < ${answer.status} ${JSON.stringify(answer.body)}${online === null ? '' : `  (Latchd-Lock-Online: ${online})`}`);
  }

  return {
    async request(method, path) {
      const answer = await ask(method, path);
      show(method, path, answer);
      return answer;
    },
    async requestUntil(method, path, enough) {
      const deadline = performance.now() + patienceMs;
      let answer = await ask(method, path);
      while (!enough(answer) && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, betweenMs));
        answer = await ask(method, path);
      }
      show(method, path, answer);
      return answer;
    },
    heading: (text) => write(`\n${text}`),
    tell: (text) => write(`  . ${text}`),
    expect(what, actual, expected) {
      const same = isDeepStrictEqual(actual, expected);
      if (!same) unexpected += 1;
      write(same ? `  ok: ${what}` : `  NOT AS EXPECTED: ${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
    },
    get unexpected() {
      return unexpected;
    },
  };
}
