// How a stream becomes a connection: there must be room for it, and it is nothing to aedes before its first packet is whole.
import type { Duplex } from 'node:stream';
import type { MqttServer } from './aedes.ts';
import type { ByteStream } from './byte-stream.ts';
import type { ListenerName } from './client-handlers.ts';
import { Connection } from './connection.ts';
import type { ConnectionServices } from './connection-services.ts';
import type { ConnectionTable } from './connection-table.ts';

export interface EntranceOptions {
  readonly table: ConnectionTable<Connection>;
  readonly services: ConnectionServices;
  /** Undefined while the broker is not started. */
  server(): MqttServer | undefined;
}

/** Makes what takes the streams of all listeners. Its listeners of events find out whose stream it is: thousands share them. */
export function createEntrance({ table, services, server }: EntranceOptions): (stream: ByteStream, listener: ListenerName) => void {
  function closed(this: Duplex): void {
    const connection = table.of(this);
    if (connection === undefined) return;
    table.leave(connection);
    connection.onClosed();
  }

  /**
   * A stranger that says nothing, or not enough, costs a socket and no client of aedes (Fault T12). Until then this is the stream's only
   * reader.
   */
  function readFirstPacket(this: ByteStream): void {
    const { read } = this;
    const first: unknown = this.read();
    const connection = table.of(this);
    if (first === null || connection === undefined) return;
    this.off('readable', readFirstPacket);
    this.read = (size) => {
      if (size === 0) return read.call(this, size);
      this.read = read;
      return first;
    };
    connection.reader = server()?.handle(this);
    // The reader has one of its own.
    if (connection.reader !== undefined) this.off('error', ignore);
    this.emit('readable');
  }

  return (stream, listener) => {
    if (server()?.isClosed() ?? true) {
      stream.destroy();
      return;
    }
    stream.on('error', ignore);
    const connection = new Connection(stream, services, listener);
    const noRoom = table.enter(connection);
    if (noRoom !== undefined) {
      connection.reject(noRoom);
      return;
    }
    stream.on('close', closed);
    stream.on('readable', readFirstPacket);
  };
}

/** A client may reset a connection that nobody reads yet. */
function ignore(): void {}
