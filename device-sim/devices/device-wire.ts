// The connection of a simulated device, as the device sees it.
import type { Qos } from '../mqtt-line.ts';

export interface DeviceWire {
  /** QoS 1 unless it says otherwise; not retained unless it says so. What is said without a connection is lost. */
  publish(topic: string, payload: string, options?: { readonly retain?: boolean; readonly qos?: Qos }): void;
}

/** A wire that is there or not: what is said in between is lost, as with the device itself. */
export function createLooseWire(): DeviceWire & { attach(wire: DeviceWire | undefined): void } {
  let current: DeviceWire | undefined;
  return {
    publish: (topic, payload, options) => current?.publish(topic, payload, options),
    attach(wire) {
      current = wire;
    },
  };
}
