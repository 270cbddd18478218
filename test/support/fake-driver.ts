// A driver whose locks can do nothing but lock and unlock, over sessions that a test scripts.

import type { Clock } from '../../src/domain/clock.ts';
import { invalidParameter } from '../../src/domain/errors.ts';
import type { Capabilities } from '../../src/domain/locks/capabilities.ts';
import type { Driver } from '../../src/domain/locks/driver.ts';
import type { DeviceId } from '../../src/domain/locks/lock.ts';
import { createFakeLink, type FakeLink } from './fake-link.ts';

/** Of a lock that does nothing but lock and unlock. */
export const bareCapabilities: Capabilities = {
  ...{ success: 'bolt', late: 'bounded', refusals: 'silent', matched: false, query: false },
  ...{ events: 'live', who: 'none', wrongCodes: false },
  ...{
    cards: false,
    passcodes: false,
    hours: false,
    once: false,
    autoLock: false,
    settings: false,
    battery: 'none',
    encrypted: false,
    warnings: [],
  },
};

/** Its addresses are four digits. */
export function createFakeDriver({ clock }: { readonly clock: Clock }): Driver & { readonly link: FakeLink } {
  const link = createFakeLink({ clock });
  return {
    kind: 'plain',
    link,
    session: link.session,
    disconnect: link.disconnect,
    capabilities: () => bareCapabilities,
    describe({ address, pulse = 1 }) {
      if (!/^[0-9]{4}$/.test(String(address))) throw invalidParameter('driver.address', 'must be four digits');
      return { deviceId: `02000000${address}` as DeviceId, address: String(address), options: { address, pulse } };
    },
  };
}
