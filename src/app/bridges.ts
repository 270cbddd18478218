// Joins the bridges of the configuration with the MQTT client.
import { join } from 'node:path';
import type { Clock } from '../domain/clock.ts';
import type { BridgeSettings, OpenBridge } from '../drivers/bridge-connection.ts';
import { createBrokerIdentity, readBrokerCredentials } from '../platform/broker-credentials.ts';
import { createOutboundMqtt } from '../platform/mqtt-client.ts';
import { admitsStrangers } from '../platform/mqtt-stranger.ts';
import type { Config } from './config.ts';

export function bridgeSettings({ bridges }: Pick<Config, 'bridges'>): readonly BridgeSettings[] {
  return bridges.map(({ name, url, username, drivers }) => ({
    ...{ name, url, hasLogin: username !== undefined },
    programs: drivers.map(({ kind, ...settings }) => ({ kind, settings })),
  }));
}

/** Connections as the configuration says; the id of each is stored in the data directory. */
export function createOpenBridge({ bridges, dataDir }: Pick<Config, 'bridges' | 'dataDir'>, clock: Clock): OpenBridge {
  return ({ name, url, programs }, events) => {
    const files = bridges.find((bridge) => bridge.name === name) ?? {};
    const identity = createBrokerIdentity(join(dataDir, 'broker-client.id'), name, files);
    const connection = createOutboundMqtt({ clock, random: Math.random, url, ...identity, ...events });
    return {
      ...connection,
      async admitsStrangers() {
        const { ca } = await readBrokerCredentials(files).catch(() => ({ ca: undefined }));
        const [first] = programs.flatMap(({ settings }) => Object.values(settings));
        return admitsStrangers({ url, ca, filter: `${first ?? '#'}/#`, clock });
      },
    };
  };
}
