// A program that speaks TTLock's cloud API, written from the page of the facade alone (src/http/ttlock/README.md).
import { createHash } from 'node:crypto';

/** What `latchd ttlock-login create` shows. */
export interface TtlockSecrets {
  readonly username: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly password: string;
}

/** A body, whatever it is; which members are there is for the test to say. */
export interface TtlockBody {
  readonly [member: string]: unknown;
  readonly errcode: number;
  readonly errmsg: string;
  readonly list: readonly { readonly [member: string]: unknown }[];
  readonly pages: number;
  readonly total: number;
}

type Parameters = Readonly<Record<string, string | number | undefined>>;

export interface TtlockClient {
  readonly secrets: TtlockSecrets;
  accessToken: string;
  refreshToken: string;
  /** Signs in as clients of Home Assistant do. */
  signIn(): Promise<TtlockBody>;
  refresh(): Promise<TtlockBody>;
  /** The three parameters of every call. */
  sign(): Parameters;
  /** Everything in the query. */
  get(path: string, parameters?: Parameters): Promise<TtlockBody>;
  /** Everything in the form. */
  post(path: string, parameters?: Parameters): Promise<TtlockBody>;
  /** The signature in the query, and the rest in the form. */
  mixed(path: string, parameters?: Parameters): Promise<TtlockBody>;
}

export function md5(password: string): string {
  return createHash('md5').update(password).digest('hex');
}

export function formOf(parameters: Parameters): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));
  return new URLSearchParams(Object.fromEntries(given)).toString();
}

/** `url` leads to the gateway now; it changes when that starts again. */
export function createTtlockClient(url: () => string, secrets: TtlockSecrets): TtlockClient {
  async function send(path: string, init: RequestInit): Promise<TtlockBody> {
    const response = await fetch(`${url()}${path}`, init);
    const type = response.headers.get('content-type');
    if (response.status !== 200 || type !== 'application/json;charset=UTF-8')
      throw new Error(`${path} answered ${response.status} ${type}`);
    return (await response.json()) as TtlockBody;
  }
  const form = (parameters: Parameters): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: formOf(parameters),
  });
  async function tokens(parameters: Parameters): Promise<TtlockBody> {
    const { clientId, clientSecret } = secrets;
    const body = await send('/oauth2/token', form({ client_id: clientId, client_secret: clientSecret, ...parameters }));
    client.accessToken = String(body['access_token']);
    client.refreshToken = String(body['refresh_token']);
    return body;
  }
  const client: TtlockClient = {
    secrets,
    accessToken: '',
    refreshToken: '',
    signIn: () => tokens({ username: secrets.username, password: md5(secrets.password) }),
    refresh: () => tokens({ grant_type: 'refresh_token', refresh_token: client.refreshToken }),
    sign: () => ({ clientId: secrets.clientId, accessToken: client.accessToken, date: Date.now() }),
    get: (path, parameters = {}) => send(`${path}?${formOf({ ...client.sign(), ...parameters })}`, { method: 'GET' }),
    post: (path, parameters = {}) => send(path, form({ ...client.sign(), ...parameters })),
    mixed: (path, parameters = {}) => send(`${path}?${formOf(client.sign())}`, form(parameters)),
  };
  return client;
}
