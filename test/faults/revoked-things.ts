// What is revoked: a token, a role, an account or the key of a device, made for one revocation, with callers who use it at both nodes.
import type { Random } from '../support/seeded-random.ts';
import type { Answer } from '../support/site.ts';
import { until } from './house.ts';
import type { NodePair, PairNode } from './node-pair.ts';
import { type Caller, createDevice, createListener, createPerson, type Revocation, type Tally } from './revoked-callers.ts';

export const kinds = ['token', 'role', 'account', 'device key'] as const;
export type Kind = (typeof kinds)[number];

export interface Revocable extends Revocation {
  readonly kind: Kind;
  readonly callers: readonly Caller[];
  /** How to revoke it. */
  readonly method: string;
  readonly path: string;
}

/** A card at a door: its event goes to all who listen there. */
export interface Swipe {
  readonly at: number;
  readonly lockId: number;
}

export interface Things {
  /** Resolves when each of its callers was honoured. */
  make(kind: Kind, leader: PairNode): Promise<Revocable>;
}

/** On a machine that other work keeps busy. */
const patienceMs = 120_000;
const peopleAtEachNode = 1;

export function createThings(options: {
  readonly pair: NodePair;
  readonly random: Random;
  readonly swipes: ReadonlyMap<string, Swipe>;
  readonly tally: Tally;
}): Things {
  const { pair, random, swipes, tally } = options;
  const idle: { readonly lockId: number; readonly deviceId: string }[] = [];
  let [serial, addresses] = [0, 0];

  function address(): string {
    addresses += 1;
    return `127.${1 + (addresses >> 16)}.${(addresses >> 8) & 0xff}.${addresses & 0xff}`;
  }
  async function ask(leader: PairNode, method: string, path: string, body?: object): Promise<Answer['body']> {
    const answer = await pair.siteAt(leader).api(method, `/api/v1/gateway${path}`, body && { body });
    if (answer.status < 200 || answer.status > 299) throw new Error(`${method} ${path} was answered with ${answer.status}`);
    return answer.body;
  }

  async function makeKey(leader: PairNode, revocation: Revocation): Promise<Omit<Revocable, 'kind' | 'doneAt'>> {
    serial += 1;
    const mac = `A4:C1:38:00:${[serial >> 8, serial & 0xff].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`;
    const { lockId, deviceId } = idle.pop() ?? (await ask(leader, 'POST', '/locks', { lockMac: mac, lockName: `device ${serial}` }));
    const path = `/locks/${lockId}/key`;
    const { deviceKey } = await ask(leader, 'POST', path);
    const named = `9${String(serial).padStart(6, '0')}`;
    async function recorded(): Promise<readonly string[]> {
      idle.push({ lockId, deviceId });
      const { other } = await pair.whenSettled();
      const { body } = await pair.siteAt(other).api('GET', '/api/v1/lock/records', { query: { lockId, pageNo: 1, pageSize: 1_000 } });
      return body.list.map(({ keyboardPwd }) => String(keyboardPwd));
    }
    const callers = [createDevice({ ...{ nodes: pair.nodes, deviceId, deviceKey, serial: named, random, revocation, tally, recorded } })];
    return { callers, method: 'POST', path };
  }

  /** An account that manages two doors: a role on one of them may end. */
  async function makePerson(kind: Kind, leader: PairNode, revocation: Revocation): Promise<Omit<Revocable, 'kind' | 'doneAt'>> {
    serial += 1;
    const username = `person-${serial}`;
    const number = 1 + random.below(pair.fleet.locks.length - 1);
    const doors = [number, number + 1].map((one) => pair.fleet.lock(one).lockId ?? 0);
    const lockId = random.pick(doors);
    await ask(leader, 'POST', '/accounts', { username, gatewayAdministrator: false });
    for (const door of doors) await ask(leader, 'PUT', `/locks/${door}/roles/${username}`, { role: 'manager' });
    const { token, tokenId } = await ask(leader, 'POST', '/tokens', { username, name: 'caller' });
    const isHidden = (cardNumber: string): boolean => {
      const swipe = swipes.get(cardNumber);
      return swipe !== undefined && swipe.at > revocation.doneAt && (kind !== 'role' || swipe.lockId === lockId);
    };
    const callers = pair.nodes.flatMap((node) =>
      Array.from({ length: peopleAtEachNode }, () =>
        createPerson({ node, token, path: `/api/v1/lock/state?lockId=${lockId}`, from: address(), revocation, tally }),
      ),
    );
    const mustEnd = kind !== 'role';
    for (const node of pair.nodes) callers.push(createListener({ node, token, from: address(), revocation, mustEnd, isHidden, tally }));
    const path = {
      token: `/tokens/${tokenId}`,
      role: `/locks/${lockId}/roles/${username}`,
      account: `/accounts/${username}`,
      'device key': '',
    };
    return { callers, method: 'DELETE', path: path[kind] };
  }

  return {
    async make(kind, leader) {
      const revocation: Revocation = { doneAt: Number.POSITIVE_INFINITY };
      const made = await (kind === 'device key' ? makeKey(leader, revocation) : makePerson(kind, leader, revocation));
      await until(() => made.callers.every((caller) => caller.isHonoured()), `each caller of a ${kind} is honoured`, patienceMs);
      return Object.assign(revocation, made, { kind });
    },
  };
}
