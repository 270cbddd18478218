// The makes of locks besides our own: a new one is a folder in src/drivers and one line here.
import type { DeviceKind } from '../drivers/device-protocol.ts';
import { nuki } from '../drivers/nuki/nuki.ts';
import { nukiHub } from '../drivers/nuki-hub/nuki-hub.ts';
import { shelly } from '../drivers/shelly/shelly.ts';

/** Makes whose devices log in to our broker. */
export const deviceKinds: readonly DeviceKind<object>[] = [nuki, nukiHub, shelly];
