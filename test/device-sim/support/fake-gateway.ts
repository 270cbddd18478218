// The registration part of the HTTP API and nothing else, in memory.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeGateway {
  readonly url: string;
  /** deviceId to the key it was given last. */
  readonly keys: Map<string, string>;
  /** Bodies of the registrations, in order. */
  readonly registrations: Record<string, unknown>[];
  readonly requests: string[];
  stop(): Promise<void>;
}

export async function startFakeGateway(token: string): Promise<FakeGateway> {
  const keys = new Map<string, string>();
  const registrations: Record<string, unknown>[] = [];
  const requests: string[] = [];
  const ids: string[] = [];
  const issue = (deviceId: string): object => {
    const deviceKey = `key-${deviceId}-${requests.length}`;
    keys.set(deviceId, deviceKey);
    if (!ids.includes(deviceId)) ids.push(deviceId);
    return { lockId: ids.indexOf(deviceId) + 1, deviceId, deviceKey };
  };
  const answer = (method: string, url: URL, body: string): [number, object] => {
    if (method === 'POST' && url.pathname === '/api/v1/gateway/locks') {
      const registration = JSON.parse(body) as Record<string, unknown>;
      const deviceId = String(registration['lockMac']).replaceAll(':', '').toLowerCase();
      if (keys.has(deviceId)) return [409, { code: 'conflict', detail: 'registered already' }];
      registrations.push(registration);
      return [201, issue(deviceId)];
    }
    if (method === 'POST' && url.pathname === '/api/v1/gateway/hubs') {
      const deviceId = String(JSON.parse(body).mac).replaceAll(':', '').toLowerCase();
      keys.set(deviceId, `key-${deviceId}`);
      return [201, { deviceId, deviceKey: `key-${deviceId}` }];
    }
    const renewed = /^\/api\/v1\/gateway\/locks\/(\d+)\/key$/.exec(url.pathname);
    if (method === 'POST' && renewed !== null) return [201, issue(ids[Number(renewed[1]) - 1] ?? '')];
    if (method !== 'GET') return [404, { code: 'not-found' }];
    const mac = (deviceId: string): string => (deviceId.match(/../g) ?? []).join(':').toUpperCase();
    const list = ids.map((deviceId, index) => ({ lockId: index + 1, lockMac: mac(deviceId), online: false }));
    return [200, { list, pageNo: 1, pageSize: 1000, pages: list.length === 0 ? 0 : 1, total: list.length }];
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      requests.push(`${request.method} ${request.url}`);
      const known = request.headers.authorization === `Bearer ${token}`;
      const [status, json] = known
        ? answer(request.method ?? '', new URL(request.url ?? '', 'http://x'), body)
        : ([401, { code: 'token-invalid' }] as const);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    registrations,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
