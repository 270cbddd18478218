// What people sign in with: its services with their algorithms, and the links that lead to this gateway.
import type { AccountService } from '../domain/accounts/account-service.ts';
import { createSignInServices } from '../domain/accounts/sign-in-services.ts';
import type { AuditTrail } from '../domain/audit/audit.ts';
import { createGatewayLinks } from '../http/pipeline/served-page.ts';
import { createFrequentPasswords } from '../platform/frequent-passwords.ts';
import { announcedNames } from '../platform/mdns/announcement.ts';
import { machineNames } from '../platform/mdns/machine-names.ts';
import { createPasswordHashing } from '../platform/password-hash.ts';
import { createWebauthn } from '../platform/webauthn.ts';
import type { Base } from './base.ts';
import type { Storage } from './storage.ts';

export function createSignIn(
  { config, clock, secrets, events, addresses }: Base,
  { store }: Pick<Storage, 'store'>,
  accounts: AccountService,
  audit: AuditTrail,
) {
  const { tlsNames, discovery, signIn } = config;
  const { services, parts } = createSignInServices({
    ...{ clock, secrets, events, stores: store.ports, accounts, audit, ...signIn },
    hashing: createPasswordHashing(),
    isFrequent: createFrequentPasswords(),
    webauthn: createWebauthn(),
  });
  const links = createGatewayLinks({
    // The announced name works wherever mDNS does, whatever else the machine announces.
    names: () => [...tlsNames, ...(discovery.enabled ? announcedNames() : []), ...machineNames()],
    listeners: addresses.all,
  });
  return { services, parts, links };
}
