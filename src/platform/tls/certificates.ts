// What the TLS listeners show, kept in force while they serve: read or made at the start, again on SIGHUP, and whenever it is due.
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { createMutex } from '../../domain/mutex.ts';
import type { Log, Part } from '../../domain/part.ts';

/** A certificate with its chain, and its private key; PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** One for each kind of listener. */
export interface Identities {
  /** For people's programs: https, and WebSocket on it. */
  readonly https: TlsIdentity;
  /** For locks: mqtts. */
  readonly mqtts: TlsIdentity;
}

/** Where certificates come from: latchd's own authority, or files of somebody else's. */
export interface CertificateSource {
  /** Reads, and where it may makes, what there is to show; rejects with one sentence for the operator. */
  open(): Promise<Identities>;
  /** Why `open` should be called again now, if it should. Asked once a minute, so it looks at nothing slow. */
  due(): string | undefined;
}

export interface Certificates extends Part {
  /** What a listener of that kind shows from now on; between `start` and `stop` only. */
  current(kind: keyof Identities): TlsIdentity;
  /** When that expires, epoch milliseconds. */
  expiresAt(kind: keyof Identities): number;
  /** Called after each change. Connections that are open are not touched by it. */
  onChange(listener: () => void): void;
  /** Looks at the files again. What cannot be used is logged, and what was in force stays. */
  reload(): Promise<void>;
}

const lookEveryMs = 60_000;
/** After a failure, so that the log does not fill. */
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

  /** Whether it went well. One at a time: a signal may come while the timer's turn is under way. */
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
