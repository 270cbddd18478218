// What one client may send: how large, how fast, and in which time (Protocol 1, Fault T12).

export interface PacketSizes {
  /** Largest packet, header included, until `admit`. */
  readonly maxBytesBeforeConnack: number;
  /** Largest packet, header included, from then on. */
  readonly maxPacketBytes: number;
}

export interface PacketLimits extends PacketSizes {
  /** A client that sends faster is read more slowly, not closed. */
  readonly packetsPerSecond: number;
  /** How many packets may come at once after a rest. */
  readonly packetBurst: number;
  /** From the opening of the connection to the last byte of its CONNECT. */
  readonly connectTimeoutMs: number;
  /** From the first byte of a packet to its last one, as long as the broker waits for the client. */
  readonly packetTimeoutMs: number;
}

export const defaultPacketLimits: PacketLimits = {
  maxBytesBeforeConnack: 4_096,
  maxPacketBytes: 65_536,
  packetsPerSecond: 2_000,
  packetBurst: 4_000,
  connectTimeoutMs: 5_000,
  packetTimeoutMs: 10_000,
};
