// The makes of locks besides our own: a new one is a folder in src/drivers and one line here.
import type { BridgeKind } from '../drivers/bridge-protocol.ts';
import type { DeviceKind } from '../drivers/device-protocol.ts';
import { discoveryKind } from '../drivers/discovery/kind.ts';
import { nuki } from '../drivers/nuki/nuki.ts';
import { nukiHub } from '../drivers/nuki-hub/nuki-hub.ts';
import { shelly } from '../drivers/shelly/shelly.ts';
import { zigbee2mqttKind } from '../drivers/zigbee2mqtt/kind.ts';

/** Makes whose devices log in to our broker. */
export const deviceKinds: readonly DeviceKind<object>[] = [nuki, nukiHub, shelly];

/** Makes that are behind a program on an outside broker. */
export const bridgeKinds: readonly BridgeKind<object>[] = [zigbee2mqttKind, discoveryKind];
