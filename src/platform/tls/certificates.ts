// The certificates of the TLS listeners: read or made at the start, and renewed on SIGHUP and whenever they are due.
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { createMutex } from '../../domain/mutex.ts';
import type { Log, Part } from '../../domain/part.ts';

/** A certificate with its chain, and its private key; PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** One identity per kind of listener. */
export interface Identities {
  /** For people's programs: https, and WebSocket over it. */
  readonly https: TlsIdentity;
  /** For locks: mqtts. */
  readonly mqtts: TlsIdentity;
}

/** Where certificates come from: latchd's own authority, or files that somebody else maintains. */
export interface CertificateSource {
  /** Reads the certificates, or makes them if the source can; rejects with one sentence for the operator. */
  open(): Promise<Identities>;
  /** The reason to call `open` again now, if there is one. Called once a minute, so it does nothing slow. */
  due(): string | undefined;
}

export interface Certificates extends Part {
  /** The identity that a listener of that kind presents; between `start` and `stop` only. */
  current(kind: keyof Identities): TlsIdentity;
  /** When that identity expires, in epoch milliseconds. */
  expiresAt(kind: keyof Identities): number;
  /** Calls `listener` after each change. Open connections are not affected. */
  onChange(listener: () => void): void;
  /** Reads the files again. Logs a certificate that cannot be used, and goes on with the old one. */
  reload(): Promise<void>;
}

const lookEveryMs = 60_000;
/** Wait after a failure, so that the log does not fill up. */
const retryAfterMs = 3_600_000;

export function createCertificates(options: {
  readonly source: CertificateSource;
  readonly clock: Clock;
  readonly log: Log;
}): Certificates {
  const { source, clock, log } = options;
  const listeners: (() => void)[] = [];
  let identities: Identities | undefined;
  let cancelTimer: (() => void) | undefined;
  let stopped = false;
  const oneByOne = createMutex();

  /** Resolves with whether it succeeded. One at a time: a signal may arrive while the timer's renewal is running. */
  function renew(reason: string): Promise<boolean> {
    return oneByOne(async () => {
      try {
        const opened = await source.open();
        const changed = JSON.stringify(opened) !== JSON.stringify(identities);
        identities = opened;
        log.info({ code: 'tls-reloaded', reason, changed }, 'the certificates were looked at again');
        if (changed) for (const listener of listeners) listener();
        return true;
      } catch (error) {
        log.error({ code: 'tls-refused', reason, err: error }, 'the certificates could not be renewed; those in force stay');
        return false;
      }
    });
  }

  async function look(): Promise<void> {
    const reason = source.due();
    const well = reason === undefined || (await renew(reason));
    lookAfter(well ? lookEveryMs : retryAfterMs);
  }

  function lookAfter(delayMs: number): void {
    if (!stopped) cancelTimer = clock.timer(delayMs, () => void look());
  }

  function current(kind: keyof Identities): TlsIdentity {
    if (identities === undefined) throw new Error('the certificates are not started');
    return identities[kind];
  }

  return {
    name: 'certificates',
    async start() {
      identities = await source.open();
      lookAfter(lookEveryMs);
    },
    async stop() {
      stopped = true;
      cancelTimer?.();
      await oneByOne(async () => undefined);
    },
    current,
    expiresAt: (kind) => Date.parse(new X509Certificate(current(kind).cert).validTo),
    onChange: (listener) => void listeners.push(listener),
    async reload() {
      await renew('asked to');
    },
  };
}
