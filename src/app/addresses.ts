// The addresses on which this gateway listens, for parts that need them before all listeners exist.
interface Address {
  readonly host: string;
  readonly port: number;
}

/** In the order in which they are shown. */
const schemes = ['http', 'https', 'mqtt', 'mqtts', 'devices'] as const;

export type AddressesByScheme = { readonly [Scheme in (typeof schemes)[number]]?: Address };

export interface Addresses {
  /** Adds listeners that listen now. */
  add(listening: AddressesByScheme): void;
  /** All listeners that have been added. */
  all(): AddressesByScheme;
}

export function createAddresses(): Addresses {
  let known: AddressesByScheme = {};

  return {
    add(listening) {
      known = { ...known, ...listening };
    },
    all: () => Object.fromEntries(schemes.flatMap((scheme) => (known[scheme] === undefined ? [] : [[scheme, known[scheme]]]))),
  };
}
