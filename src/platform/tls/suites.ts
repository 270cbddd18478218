// TLS settings besides the certificate: the cipher suites of Protocol 1.
import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/**
 * For TLS 1.3, OpenSSL's own choice of three; for TLS 1.2, suites with forward secrecy and authenticated encryption (RFC 9325 section 4.2).
 */
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

/** Suites that small radios have in hardware (RFC 7251, RFC 7925). */
const forLocks = ['ECDHE-ECDSA-AES128-CCM', 'ECDHE-ECDSA-AES256-CCM', 'ECDHE-ECDSA-AES128-CCM8', 'ECDHE-ECDSA-AES256-CCM8'];

/** The settings of each listener; a client cannot request new keys on a connection of TLS 1.2 (renegotiation). */
export function tlsSettings(kind: 'https' | 'mqtts'): Pick<SecureContextOptions, 'minVersion' | 'ciphers' | 'secureOptions'> {
  const suites = kind === 'mqtts' ? [...forEverybody, ...forLocks] : forEverybody;
  return { minVersion: 'TLSv1.2', ciphers: suites.join(':'), secureOptions: constants.SSL_OP_NO_RENEGOTIATION };
}
