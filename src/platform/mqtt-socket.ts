// The socket below a connection to an outside broker. It can be reset, under TLS as well: what the kernel still holds is never delivered.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
}

export interface SocketToBroker {
  /** What the MQTT client reads and writes. */
  readonly stream: Socket;
  /** Ends the connection at once. */
  reset(): void;
  onFailure(listener: (error: Error) => void): void;
}

/** Of a URL of the form `mqtt://host:port`; throws for any other. */
export function brokerAddress(url: string): BrokerAddress {
  const { protocol, hostname, port } = new URL(url);
  const isEncrypted = protocol === 'mqtts:';
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || (isEncrypted ? 8883 : 1883)), isEncrypted };
}

/** @param ca PEM of the authorities that may have signed the certificate of the broker; absent: those that Node knows */
export function openSocket({ host, port, isEncrypted }: BrokerAddress, ca: string | undefined): SocketToBroker {
  const raw = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const stream = isEncrypted ? connectSecurely({ socket: raw, host, ...servername, ...(ca === undefined ? {} : { ca }) }) : raw;
  return {
    stream,
    reset() {
      raw.resetAndDestroy();
      if (stream !== raw) stream.destroy();
    },
    onFailure(listener) {
      raw.on('error', listener);
      if (stream !== raw) stream.on('error', listener);
    },
  };
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at its host and port',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of its host cannot be looked up',
  EHOSTUNREACH: 'there is no way to its host',
  ENETUNREACH: 'there is no way to its host',
  ETIMEDOUT: 'its host does not answer',
  ECONNRESET: 'it broke the connection off',
  EPIPE: 'it broke the connection off',
};
const notAuthorized = 'it refuses the user name or the password';
const loginRefusals: ReadonlySet<number> = new Set([4, 5, 134, 135, 138, 140]);
/** The codes of a CONNACK: small ones in version 3.1.1, large ones in version 5. */
const refusals: Readonly<Record<number, string>> = {
  2: 'it refuses the client id',
  3: 'it is not available',
  4: notAuthorized,
  5: notAuthorized,
  133: 'it refuses the client id',
  134: notAuthorized,
  135: notAuthorized,
  136: 'it is not available',
  137: 'it is busy',
  138: 'it has banned this gateway',
  151: 'it allows no more of this',
  159: 'it allows fewer connections',
};

/** Whether the broker has answered a CONNECT with the word that it does not take this login. */
export function isLoginRefusal(error: Error): boolean {
  return 'code' in error && typeof error.code === 'number' && loginRefusals.has(error.code);
}

/** Why there is no connection, for the operator. */
export function connectFailure(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return refusals[code] ?? `it refuses the connection (${code})`;
  if (typeof code === 'string' && failures[code] !== undefined) return failures[code];
  if (/keepalive timeout/i.test(error.message)) return 'it has fallen silent';
  if (/connack timeout/i.test(error.message)) return 'it does not answer';
  const isCertificate = typeof code === 'string' && /CERT|ISSUER|SIGNATURE|TLS|SSL/.test(code);
  return isCertificate ? `its certificate or TLS is not accepted: ${error.message}` : error.message || String(code ?? error.name);
}

/** When nothing says why a connection has ended. */
export function lossReason(wasUp: boolean): string {
  return wasUp ? 'it ended the connection' : 'it closed the connection before it answered';
}
