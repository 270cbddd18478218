import { describe, expect, test } from '@jest/globals';
import { deviceIdentity } from '../../src/drivers/device-identity.ts';
import { createSecrets } from '../../src/stores/files/documents/secrets.ts';

const secrets = createSecrets();
const zigbee = { kind: 'zigbee2mqtt', address: ({ bridge, ieee }: { bridge: string; ieee: string }) => `${bridge}/${ieee}` };
const nuki = { kind: 'nuki', address: ({ nukiId }: { nukiId: string }) => nukiId, deviceIdOf: ({ nukiId }: { nukiId: string }) => nukiId };

describe('the names of a lock of another make', () => {
  test('follow from its kind and address, as SHA-256 has it', () => {
    expect(deviceIdentity(zigbee, { bridge: 'house', ieee: '0x000d6f0012bc896e' }, secrets)).toEqual({
      deviceId: '02e70059d86b',
      username: 'zigbee2mqtt-e70059d86b',
    });
  });

  test('are the number that is printed on it, where it has one', () => {
    expect(deviceIdentity(nuki, { nukiId: '2BB28570' }, secrets)).toEqual({ deviceId: '02002bb28570', username: 'nuki-2bb28570' });
  });
});
