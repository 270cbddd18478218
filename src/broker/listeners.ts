// Every listener of the broker together: those that the configuration wants, by scheme.
import type { Log } from '../domain/part.ts';
import type { ByteStream } from './byte-stream.ts';
import { type Address, createListener, type ListenerOptions } from './listener.ts';

type Endpoint = Pick<ListenerOptions, 'host' | 'port' | 'identity'>;
type DevicesEndpoint = Pick<ListenerOptions, 'host' | 'port'> & { readonly networks: readonly string[] };

/** Where to serve, by scheme; what is absent is off. */
export interface BrokerEndpoints {
  readonly mqtt?: Endpoint | undefined;
  readonly mqtts?: Endpoint | undefined;
  /** For devices of other makes that cannot encrypt, from these networks only. */
  readonly devices?: DevicesEndpoint | undefined;
}

export type BrokerAddresses = { readonly [Scheme in keyof BrokerEndpoints]: Address };

export interface Listeners {
  /** @throws Error with one sentence for the operator when one of them cannot listen. */
  start(): Promise<void>;
  /** No new connections from now on; those that are open stay. */
  close(): void;
  /** TLS handshakes that are under way. */
  endHandshakes(): void;
  /** Once started. */
  addresses(): BrokerAddresses;
  stats(): { readonly handshakesUnderWay: number; readonly handshakesGaveWay: number };
}

/** The listeners of these endpoints. `start` opens one after another and rejects with the first that cannot listen. */
export function createListeners(
  endpoints: BrokerEndpoints,
  options: { readonly log: Log; accept(stream: ByteStream, scheme: keyof BrokerEndpoints): void } & Pick<
    ListenerOptions,
    'readSlot' | 'onHandshakeFailed' | 'onOutsider'
  >,
): Listeners {
  const listeners = (['mqtt', 'mqtts', 'devices'] as const).flatMap((scheme) => {
    const endpoint = endpoints[scheme];
    return endpoint ? [{ scheme, ...createListener({ ...endpoint, ...options, accept: (stream) => options.accept(stream, scheme) }) }] : [];
  });
  return {
    async start() {
      for (const listener of listeners) await listener.start();
    },
    close() {
      for (const listener of listeners) listener.close();
    },
    endHandshakes() {
      for (const listener of listeners) listener.endHandshakes();
    },
    addresses: () => Object.fromEntries(listeners.map(({ scheme, address }) => [scheme, address()])),
    stats: () => ({
      handshakesUnderWay: sum(listeners.map(({ handshakes }) => handshakes().underWay)),
      handshakesGaveWay: sum(listeners.map(({ handshakes }) => handshakes().gaveWay)),
    }),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
