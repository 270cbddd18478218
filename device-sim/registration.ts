// Registers the locks over the gateway's management API (HTTP API 8.1). Failures are sentences that a person can act on.
import { z } from 'zod';
import type { DeviceId } from '../src/domain/locks/lock.ts';

export interface LockRegistration {
  readonly lockMac: string;
  readonly lockName: string;
  readonly groupName?: string;
  readonly noKeyPwd?: string;
  readonly timezoneRawOffset?: number;
  /** The deviceId of the hub that speaks for it. */
  readonly hubId?: string;
}

export interface KnownLock {
  readonly lockId: number;
  readonly hubId: string | null;
}

const issuedKey = z.object({ lockId: z.int(), deviceId: z.string(), deviceKey: z.string().min(1) });
type IssuedKey = z.infer<typeof issuedKey>;

const hubKey = z.object({ deviceKey: z.string().min(1) });
const lockPage = z.object({
  list: z.array(z.object({ lockId: z.int(), lockMac: z.string(), hubId: z.string().nullable().default(null) })),
  pages: z.int(),
});
const problemBody = z.object({ code: z.string(), detail: z.string().exactOptional() });

/** The member `driver` of a registration. */
type DriverMember = Readonly<Record<string, string>>;

export interface DeviceLogin {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

const mqttLogin = z.object({
  mqtt: z.object({
    host: z.string(),
    port: z.int().nullable(),
    tlsPort: z.int().nullable(),
    username: z.string(),
    password: z.string(),
  }),
});
const driverPage = z.object({
  list: z.array(z.object({ lockId: z.int(), driver: z.record(z.string(), z.unknown()).nullish() })),
  pages: z.int(),
});

export interface Registrar {
  /** Every lock that the gateway knows. */
  known(): Promise<Map<DeviceId, KnownLock>>;
  /** Registers a lock; undefined when its MAC address is registered already (409 conflict). */
  register(lock: LockRegistration): Promise<IssuedKey | undefined>;
  /** Requests a new key for a registered lock; the old key and its connection end at once. */
  renewKey(lockId: number): Promise<IssuedKey>;
  /** Binds a registered lock to a hub, or with null to none. */
  bind(lockId: number, hubId: string | null): Promise<void>;
  /**
   * Where and how a device of another make logs in: registers it, or requests a new password if it is registered already. `member` of `driver`
   * has its address.
   */
  device(driver: DriverMember, member: string, name: string): Promise<DeviceLogin>;
  /** Gets a key for a hub: registers the hub, or requests a new key if it is registered already. */
  hubKey(mac: string, deviceId: DeviceId, name: string): Promise<string>;
}

/** `gatewayUrl`: where the HTTP API is, such as `http://127.0.0.1:8080`; `token`: of a gateway administrator. */
export function createRegistrar({ gatewayUrl, token }: { readonly gatewayUrl: string; readonly token: string }): Registrar {
  const base = gatewayUrl.replace(/\/+$/, '');

  async function call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<{ status: number; json: unknown }> {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json', ...(body && { 'content-type': 'application/json' }) };
    let response: Response;
    try {
      response = await fetch(`${base}${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(15_000),
        ...(body && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw new Error(`the gateway at ${base} cannot be reached: ${reasonOf(error)}`, { cause: error });
    }
    const text = await response.text();
    try {
      return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
    } catch (error) {
      throw new Error(`${base} answered ${response.status} without JSON: is this the gateway?`, { cause: error });
    }
  }

  function expected<T>(schema: z.ZodType<T>, what: string, { status, json }: { status: number; json: unknown }): T {
    if (status >= 400) throw new Error(`the gateway at ${base} refused ${what}: ${explain(status, json)}`);
    const checked = schema.safeParse(json);
    if (!checked.success) throw new Error(`the gateway at ${base} answered ${what} in a way that is not understood (status ${status})`);
    return checked.data;
  }

  /** The lock that has this kind and address already; undefined: the conflict is about something else. */
  async function lockWith(driver: DriverMember, member: string): Promise<number | undefined> {
    const addressOf = (given: Readonly<Record<string, unknown>>) => `${given['kind']}:${given[member]}`.toLowerCase();
    for (let pageNo = 1, pages = 1; pageNo <= pages; pageNo++) {
      const answer = await call('GET', `/api/v1/gateway/locks?pageNo=${pageNo}&pageSize=1000`);
      const page = expected(driverPage, 'the list of locks', answer);
      pages = page.pages;
      const found = page.list.find((lock) => lock.driver && addressOf(lock.driver) === addressOf(driver));
      if (found !== undefined) return found.lockId;
    }
    return undefined;
  }

  return {
    async known() {
      const locks = new Map<DeviceId, KnownLock>();
      for (let pageNo = 1, pages = 1; pageNo <= pages; pageNo++) {
        const answer = await call('GET', `/api/v1/gateway/locks?pageNo=${pageNo}&pageSize=1000`);
        const page = expected(lockPage, 'the list of locks', answer);
        pages = page.pages;
        for (const { lockMac, lockId, hubId } of page.list)
          locks.set(lockMac.replaceAll(/[:-]/g, '').toLowerCase() as DeviceId, { lockId, hubId });
      }
      return locks;
    },
    async register(lock) {
      const answer = await call('POST', '/api/v1/gateway/locks', lock);
      if (answer.status === 409) return undefined;
      return expected(issuedKey, `the registration of ${lock.lockMac}`, answer);
    },
    async renewKey(lockId) {
      return expected(issuedKey, `a new key for lock ${lockId}`, await call('POST', `/api/v1/gateway/locks/${lockId}/key`));
    },
    async bind(lockId, hubId) {
      expected(z.object({}), `the hub of lock ${lockId}`, await call('PUT', `/api/v1/gateway/locks/${lockId}`, { hubId }));
    },
    async device(driver, member, name) {
      const created = await call('POST', '/api/v1/gateway/locks', { lockName: name, driver });
      const lockId = created.status === 409 ? await lockWith(driver, member) : undefined;
      const renewed = lockId === undefined ? created : await call('POST', `/api/v1/gateway/locks/${lockId}/key`);
      const { mqtt } = expected(mqttLogin, `the registration of ${name}`, renewed);
      const url = mqtt.port === null ? `mqtts://${mqtt.host}:${mqtt.tlsPort}` : `mqtt://${mqtt.host}:${mqtt.port}`;
      return { url, username: mqtt.username, password: mqtt.password };
    },
    async hubKey(mac, deviceId, name) {
      const answer = await call('POST', '/api/v1/gateway/hubs', { mac, name });
      if (answer.status !== 409) return expected(hubKey, `the registration of the hub ${mac}`, answer).deviceKey;
      return expected(hubKey, `a new key for the hub ${mac}`, await call('POST', `/api/v1/gateway/hubs/${deviceId}/key`)).deviceKey;
    },
  };
}

function explain(status: number, json: unknown): string {
  if (status === 401) return 'the token is not valid (401); see --token-file and LATCHD_TOKEN';
  if (status === 403) return "the token's account is not a gateway administrator (403)";
  const problem = problemBody.safeParse(json);
  return problem.success ? `${problem.data.detail ?? problem.data.code} (${status} ${problem.data.code})` : `status ${status}`;
}

/** The reason of a failed fetch, which hides it (ECONNREFUSED …) in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof AggregateError) return reasonOf(error.cause.errors[0]);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
