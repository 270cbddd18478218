// Browsers that sign in at a served domain: each keeps its cookie.
import request from 'supertest';
import type { serveDomain } from './served-domain.ts';

type World = Awaited<ReturnType<typeof serveDomain>>;
type Method = 'get' | 'post' | 'put' | 'delete';

export const goodPassword = 'correct horse battery';

export interface TestBrowser {
  /** Sends a request with the cookie that the browser has, and keeps the one that it gets. */
  ask(method: Method, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<request.Response>;
  cookie(): string;
}

export function openBrowser({ origin }: Pick<World, 'origin'>, agent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/143.0'): TestBrowser {
  let cookie = '';
  return {
    async ask(method, path, body, headers = {}) {
      const own = { 'User-Agent': agent, 'Latchd-Console': '1', ...(cookie && { Cookie: cookie }), ...headers };
      const answer = await request(origin)[method](path).set(own).send(body);
      const [set] = (answer.headers['set-cookie'] as unknown as string[] | undefined) ?? [];
      if (set !== undefined) cookie = set.split(';')[0] as string;
      return answer;
    },
    cookie: () => cookie,
  };
}

/** The secret in the link that a gateway administrator has made for the account. */
export async function invite({ origin, tokens }: World, username: string, body: object = {}): Promise<string> {
  const answer = await request(origin)
    .post(`/api/v1/gateway/accounts/${username}/invitation`)
    .set('Authorization', `Bearer ${tokens.admin}`)
    .send(body);
  return secretIn(answer.body.url);
}

export function secretIn(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** A browser that is signed in as the account, by an invitation and then `goodPassword`. */
export async function signedInBrowser(world: World, username: string): Promise<TestBrowser> {
  const browser = openBrowser(world);
  await browser.ask('post', '/api/v1/invitation', { secret: await invite(world, username), password: goodPassword });
  return browser;
}
