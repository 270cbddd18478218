// What is spoken over TLS, beside the certificate: the suites of Protocol 1.
import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** Those of TLS 1.3 are OpenSSL's own choice of three; of TLS 1.2 forward secrecy and encryption that is authenticated in one, RFC 9325 section 4.2. */
const forEverybody = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

/** What small radios have in hardware (RFC 7251, RFC 7925). */
const forLocks = ['ECDHE-ECDSA-AES128-CCM', 'ECDHE-ECDSA-AES256-CCM', 'ECDHE-ECDSA-AES128-CCM8', 'ECDHE-ECDSA-AES256-CCM8'];

/** As each listener takes it; a client cannot ask for new keys on a connection of TLS 1.2 (renegotiation). */
export function tlsSettings(kind: 'https' | 'mqtts'): Pick<SecureContextOptions, 'minVersion' | 'ciphers' | 'secureOptions'> {
  const suites = kind === 'mqtts' ? [...forEverybody, ...forLocks] : forEverybody;
  return { minVersion: 'TLSv1.2', ciphers: suites.join(':'), secureOptions: constants.SSL_OP_NO_RENEGOTIATION };
}
