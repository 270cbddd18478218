// Where this gateway listens, for whoever must know it before all of its listeners are made.
interface Address {
  readonly host: string;
  readonly port: number;
}

/** In the order in which they are shown. */
const schemes = ['http', 'https', 'mqtt', 'mqtts'] as const;

export type AddressesByScheme = { readonly [Scheme in (typeof schemes)[number]]?: Address };

export interface Addresses {
  /** These listen now. */
  add(listening: AddressesByScheme): void;
  /** Those that have been added. */
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
