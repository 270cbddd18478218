// The listeners: where the gateway serves, and with which certificates.

import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/part.ts';
import { certificateNames } from '../platform/mdns/machine-names.ts';
import { createCertificateFiles } from '../platform/tls/certificate-files.ts';
import { type Certificates, createCertificates, type Identities } from '../platform/tls/certificates.ts';
import { type Authority, readAuthority } from '../platform/tls/local-ca.ts';
import { createOwnCertificates } from '../platform/tls/local-certificates.ts';
import { type AuthorityStore, shareAuthority } from '../platform/tls/shared-authority.ts';
import { tlsSettings } from '../platform/tls/suites.ts';
import type { Config } from './config.ts';

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
}

export type GatewayEndpoints = ReturnType<typeof createEndpoints>;

/** The listener of each scheme as its server expects it; undefined: it is off. */
export function createEndpoints(config: Config, surroundings: Surroundings) {
  const certificates = createCertificatesFor(config, surroundings);
  const plain = (kind: 'http' | 'mqtt') => {
    const { enabled, host, port } = config[kind];
    return enabled ? { host, port } : undefined;
  };
  const secure = (kind: 'https' | 'mqtts') => {
    const { enabled, host, port } = config[kind];
    return enabled ? { host, port, identity: identityOf(kind, certificates) } : undefined;
  };
  const [http, https] = [plain('http'), secure('https')];
  const { devices } = config;
  return {
    certificates,
    authority: createAuthority(config, certificates),
    /**
     * The authority of all nodes that share a database; the listeners show certificates of it from then on. Rejects with a sentence.
     * @param isNeeded also when no listener shows any
     */
    async shareAuthority(authorities: AuthorityStore, isNeeded: boolean): Promise<Authority | undefined> {
      const isShown = certificates !== undefined && config.tls === 'auto';
      if (!isShown && !isNeeded) return undefined;
      const shared = await shareAuthority(authorities, isShown ? tlsFolder(config) : undefined, surroundings);
      if (isShown) await certificates.reload();
      return shared;
    },
    forLocks: { mqtt: plain('mqtt'), mqtts: secure('mqtts'), devices: devices.enabled ? devices : undefined },
    forPeople: {
      http: http && { ...http, webSocket: config.webSocket.plain },
      https: https && { ...https, webSocket: true },
    },
  };
}

/** None without TLS: then there is no authority to maintain either. */
function createCertificatesFor(
  { https, mqtts, tls, tlsNames, discovery, dataDir, store }: Config,
  { clock, log }: Surroundings,
): Certificates | undefined {
  if (!https.enabled && !mqtts.enabled) return undefined;
  const names = () => certificateNames(tlsNames, discovery.enabled);
  const source =
    tls === 'auto'
      ? createOwnCertificates({ folder: tlsFolder({ dataDir }), names, isShared: store !== 'files', clock, log })
      : createCertificateFiles({ ...tls, clock, log });
  return createCertificates({ source, clock, log });
}

/** Gives the certificate of our own authority, PEM; undefined without one. It is read once, and again after the certificates have changed. */
function createAuthority({ tls, dataDir }: Config, certificates: Certificates | undefined): () => Promise<string | undefined> {
  if (certificates === undefined || tls !== 'auto') return async () => undefined;
  let read: Promise<string> | undefined;
  const forget = () => {
    read = undefined;
  };
  certificates.onChange(forget);
  return () => {
    read ??= readAuthority(tlsFolder({ dataDir })).catch((error: unknown) => {
      forget();
      throw error;
    });
    return read;
  };
}

function tlsFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return `${dataDir}/tls`;
}

function identityOf(kind: keyof Identities, certificates: Certificates | undefined) {
  const settings = tlsSettings(kind);
  return certificates && { current: () => ({ ...certificates.current(kind), ...settings }), onChange: certificates.onChange };
}
