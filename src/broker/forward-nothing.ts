// What of the broker has no use here, because nobody is sent anything through a subscription: locks and hubs speak to the
// gateway alone, which has what they say when their publish is authorized, and what it says to them it writes itself.
import { writeToStream } from 'mqtt-packet';

type Done = (error?: Error) => void;

/** What a broker calls of itself. */
export interface Forwarder {
  publish(packet: object, client: object | Done | null | undefined, done?: Done): void;
  subscribe(topic: string, deliver: unknown, done?: Done): void;
  unsubscribe(topic: string, deliver: unknown, done?: Done): void;
}

/**
 * Nothing is passed on and nothing retained is kept, so that no subscription, however it came to be, hears anything (T11). Nor
 * is one kept: SUBSCRIBEs are answered as they were decided, and looked for by nobody.
 */
export function forwardNothing(broker: Forwarder): void {
  broker.publish = (_packet, client, done) => (typeof client === 'function' ? client : done)?.();
  broker.subscribe = (_topic, _deliver, done) => done?.();
  broker.unsubscribe = (_topic, _deliver, done) => done?.();
  // 65,536 buffers, one for each packet id, made with the first packet it writes: 7 MB, for a few SUBACKs.
  writeToStream.cacheNumbers = false;
}
