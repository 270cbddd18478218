// Sockets that cost the load generator as little as possible: no Nagle, and one buffer into which all of them are read.
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { Address } from '../daemon.ts';

/** Each read is handled before the next one begins, so one buffer does for thousands of sockets. */
const buffer = Buffer.allocUnsafe(65_536);

export interface SocketOptions extends Address {
  /** Another address of this machine to come from. */
  readonly localAddress?: string;
  /** TLS, with whom it trusts; one for all, since making one costs more than a handshake. */
  readonly secureContext?: SecureContext | undefined;
  /** The bytes are good only until it returns. */
  onBytes(bytes: Buffer): void;
  onClose(): void;
}

export function openSocket(options: SocketOptions): Promise<Socket> {
  return options.secureContext === undefined ? openPlain(options) : openTls(options);
}

function openPlain({ host, port, localAddress, onBytes, onClose }: SocketOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...{ host, port, noDelay: true, ...(localAddress && { localAddress }) },
      onread: {
        buffer,
        callback(length) {
          onBytes(buffer.subarray(0, length));
          return true;
        },
      },
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.on('error', () => {});
      socket.once('close', onClose);
      resolve(socket);
    });
  });
}

function openTls({ host, port, localAddress, secureContext, onBytes, onClose }: SocketOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ ...{ host, port, ...(localAddress && { localAddress }) }, ...(secureContext && { secureContext }) });
    socket.setNoDelay();
    socket.on('data', onBytes);
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      socket.on('error', () => {});
      socket.once('close', onClose);
      resolve(socket);
    });
  });
}
