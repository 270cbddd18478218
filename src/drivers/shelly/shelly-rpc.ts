// Requests to a Shelly and the answers to them, which carry the id of the request.
import type { Effect } from '../device-protocol.ts';
import { decode } from '../payload.ts';
import { type RpcAnswer, rpcAnswer } from './shelly-messages.ts';

/** What follows from an answer; the result of a request that failed is undefined. */
export type OnAnswer = (result: unknown, error: string, now: number) => readonly Effect[];

export interface ShellyRpc {
  /** `now` decides the first id of a connection, so that an answer to an earlier connection is none to this one. */
  ask(method: string, params: object, now: number, onAnswer: OnAnswer): Effect;
  /** An answer; one to nothing that was asked has no effect. */
  answered(payload: Buffer, now: number): readonly Effect[];
  /** Nothing that was asked so far will be answered any more. */
  forget(): void;
}

/** More requests are never under way: of an older one the answer is not waited for any longer. */
const askedAtMost = 16;

export function createShellyRpc(prefix: string, src: string): ShellyRpc {
  const asked = new Map<number, OnAnswer>();
  let lastId: number | undefined;

  return {
    ask(method, params, now, onAnswer) {
      lastId = 1 + (lastId ?? now % 1_000_000_000);
      asked.set(lastId, onAnswer);
      for (const id of [...asked.keys()].slice(0, -askedAtMost)) asked.delete(id);
      return { kind: 'publish', topic: `${prefix}/rpc`, payload: JSON.stringify({ id: lastId, src, method, params }) };
    },

    answered(payload, now) {
      const decoded = decode(payload, rpcAnswer);
      const onAnswer = decoded.ok ? asked.get(decoded.value.id) : undefined;
      if (!decoded.ok || onAnswer === undefined) return [];
      asked.delete(decoded.value.id);
      return onAnswer(decoded.value.result, textOf(decoded.value), now);
    },

    forget() {
      asked.clear();
    },
  };
}

function textOf({ error }: RpcAnswer): string {
  const { code, message = 'without a reason' } = error ?? {};
  return `the Shelly refused: ${message}${code === undefined ? '' : ` (${code})`}`;
}
