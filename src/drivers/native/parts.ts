// The native driver with all that stands behind it: its link over MQTT, what it hears, and who logs in.
import type { Log } from '../../domain/part.ts';
import type { Quarantine } from '../../domain/records/record-ports.ts';
import type { DriverParts } from '../driver-host.ts';
import { createCommandSender } from './command-sender.ts';
import { createNativeDriver, type NativeDriver, type NativeDriverOptions } from './driver.ts';
import { createHubPresence } from './hub-presence.ts';
import { createNativeHandlers, type NativeHandlers } from './native-handlers.ts';
import { createReportReceiver } from './report-receiver.ts';
import { createTopics } from './topics.ts';

export interface NativeParts extends Omit<DriverParts, 'handlers'> {
  readonly driver: NativeDriver;
  /** They have every login that no other driver owns. */
  readonly handlers: NativeHandlers;
  /** As `ReportReceiver.storageWorks`. */
  storageWorks(): void;
}

/** Builds every part of the native driver and joins them. */
export function createNativeParts(
  options: Omit<NativeDriverOptions, 'link' | 'hubLink'> & {
    readonly topicRoot: string;
    readonly quarantine: Quarantine;
    readonly log: Log;
  },
): NativeParts {
  const topics = createTopics(options.topicRoot);
  const sender = createCommandSender({ ...options, topics });
  const hubPresence = createHubPresence(options);
  const driver = createNativeDriver({ ...options, link: sender, hubLink: hubPresence });
  const receiver = createReportReceiver({ ...options, reports: driver.reports, sender });
  const handlers = createNativeHandlers({ ...options, topics, hubPresence, pairing: driver.pairing, receiver });
  return { driver, handlers, storageWorks: receiver.storageWorks };
}
