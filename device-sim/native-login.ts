// How a lock or a hub of our own protocol logs in (Protocol 2).
import type { DeviceId } from '../src/domain/locks/lock.ts';
import type { Topics } from '../src/drivers/native/topics.ts';
import type { LineLogin } from './mqtt-line.ts';

export interface NativeLogin {
  readonly topics: Topics;
  readonly deviceId: DeviceId;
  readonly deviceKey: string;
  /** 1 to 120. */
  readonly keepAliveSeconds: number;
}

export function nativeLogin({ topics, deviceId, deviceKey, keepAliveSeconds }: NativeLogin): LineLogin {
  const will = { topic: topics.build(deviceId, 'status'), payload: 'offline', qos: 1, retain: true } as const;
  return { clientId: deviceId, username: deviceId, password: deviceKey, keepAliveSeconds, clean: true, will };
}
