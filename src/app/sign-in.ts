// What people sign in with: its services with their algorithms, and the links that lead to this gateway.
import type { AccountService } from '../domain/accounts/account-service.ts';
import { createSignInServices } from '../domain/accounts/sign-in-services.ts';
import type { AuditTrail } from '../domain/audit/audit.ts';
import { createGatewayLinks, type GatewayLinks } from '../http/pipeline/served-page.ts';
import { createFrequentPasswords } from '../platform/frequent-passwords.ts';
import { announcedNames } from '../platform/mdns/announcement.ts';
import { machineNames } from '../platform/mdns/machine-names.ts';
import { createPasswordHashing, createThreadedDerive } from '../platform/password-hash.ts';
import { createWebauthn } from '../platform/webauthn.ts';
import type { Base } from './base.ts';
import { passwordThread } from './built-files.ts';
import type { Storage } from './storage.ts';

export function createSignIn(base: Base, { store }: Pick<Storage, 'store'>, accounts: AccountService, audit: AuditTrail) {
  const { config, clock, secrets, events } = base;
  const { services, parts } = createSignInServices({
    ...{ clock, secrets, events, stores: store.ports, accounts, audit, ...config.signIn },
    hashing: createPasswordHashing(createThreadedDerive(passwordThread)),
    isFrequent: createFrequentPasswords(),
    webauthn: createWebauthn(),
  });
  return { services, parts, links: createLinks(base) };
}

/** The links that lead other browsers to this gateway. */
export function createLinks({
  config: { tlsNames, discovery, notifications },
  addresses,
}: Pick<Base, 'config' | 'addresses'>): GatewayLinks {
  return createGatewayLinks({
    // The announced name works wherever mDNS does, whatever else the machine announces.
    names: () => [...tlsNames, ...(discovery.enabled ? announcedNames() : []), ...machineNames()],
    listeners: addresses.all,
    usual: notifications.page,
  });
}
