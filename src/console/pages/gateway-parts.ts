// What is loaded when somebody first opens a page about the gateway itself.
import { AuditPage } from './audit.tsx';
import { HubsPage } from './hubs.tsx';
import { PairingPage } from './pairing.tsx';
import { RegisteredPage } from './registered.tsx';
import { RegisteredLockPage } from './registered-lock.tsx';
import { RemovedLockPage, RemovedLocksPage } from './removed.tsx';
import { SystemPage } from './system.tsx';
import { WebhookPage } from './webhook.tsx';
import { WebhooksPage } from './webhooks.tsx';

export const parts = {
  audit: AuditPage,
  hubs: HubsPage,
  pairing: PairingPage,
  registered: RegisteredPage,
  registeredLock: RegisteredLockPage,
  removedLock: RemovedLockPage,
  removedLocks: RemovedLocksPage,
  system: SystemPage,
  webhook: WebhookPage,
  webhooks: WebhooksPage,
};
