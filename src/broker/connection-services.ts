// What all connections of the broker share.
import type { Lease } from '../domain/lease.ts';
import type { Log } from '../domain/part.ts';
import type { StatsRecorder } from './broker-stats.ts';
import type { ClientHandlers } from './client-handlers.ts';
import type { KeepAliveWatch } from './keep-alive.ts';
import type { OrderedAcksOptions } from './ordered-acks.ts';
import type { PacketFilterOptions } from './packet-filter.ts';
import type { ReadScheduler } from './read-scheduler.ts';
import type { WriteBufferOptions } from './write-buffer.ts';

export interface ConnectionServices extends PacketFilterOptions, OrderedAcksOptions, WriteBufferOptions {
  readonly clock: PacketFilterOptions['clock'];
  readonly handlers: ClientHandlers;
  readonly reads: ReadScheduler;
  readonly keepAlives: KeepAliveWatch;
  readonly stats: StatsRecorder;
  readonly log: Log;
  /** Without it nothing is taken from a client, and nothing is said to it. */
  readonly lease: Lease;
}
