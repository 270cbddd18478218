// Why the packet filter ends a connection: a closed list, so that the reasons can be counted and none is text from outside.

export type PacketRejection =
  // The fixed header (MQTT 3.1.1 section 2.2).
  | 'packet-type'
  | 'header-flags'
  | 'remaining-length'
  | 'too-large'
  // The order of packets [MQTT-3.1.0-1], [MQTT-3.1.0-2], [MQTT-3.14.4-2].
  | 'not-connected'
  | 'second-connect'
  | 'after-disconnect'
  // CONNECT (MQTT 3.1.1 section 3.1).
  | 'protocol-name'
  | 'protocol-level'
  | 'bridge'
  | 'connect-flags'
  | 'client-id'
  // The fields of any packet: `length` when they do not fill it exactly.
  | 'length'
  | 'text'
  | 'packet-id'
  | 'publish-flags'
  | 'topic-name'
  | 'topic-filter'
  | 'no-filter'
  | 'subscribe-options'
  | 'too-many-filters'
  // Time.
  | 'connect-timeout'
  | 'packet-timeout'
  // Room: too many connections in all, too many from one address, and one without a login that gave way to a newer one.
  | 'too-many-connections'
  | 'too-many-from-address'
  | 'gave-way'
  // It came from a network that the listener does not serve.
  | 'other-network';

/**
 * The CONNACK that goes out before the connection is closed: 1 for another protocol level [MQTT-3.1.2-2], 2 for no client
 * id in a session that is to last [MQTT-3.1.3-8]. Everything else is closed without a word.
 */
export function answerTo(rejection: PacketRejection): Buffer | undefined {
  if (rejection === 'protocol-level' || rejection === 'bridge') return Buffer.from([0x20, 2, 0, 1]);
  if (rejection === 'client-id') return Buffer.from([0x20, 2, 0, 2]);
  return undefined;
}
