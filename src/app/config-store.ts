// Where the data is: files, or a PostgreSQL database by its URL.
import { isIP } from 'node:net';
import { z } from 'zod';
import { isHostName } from '../platform/mdns/host-name.ts';

const says = 'must be files, or postgres://USER@HOST[:PORT][,HOST[:PORT]]/DATABASE[?sslmode=disable|verify-full]';

export const store = z.string(says).superRefine((text, context) => {
  if (text === 'files') return;
  const message = hasPassword(text) ? 'must not contain a password: put it into the file that storePasswordFile names' : says;
  if (databaseAddress(text) === undefined) context.addIssue({ code: 'custom', message });
});

const standardPort = 5_432;
/** Whether to encrypt; null: as the host says. */
const sslModes = new Map<string, boolean | null>([
  ['', null],
  ['sslmode=disable', false],
  ['sslmode=verify-full', true],
]);

/** The parts of a `postgres:` URL; undefined: it is none, or has a part that there is not. */
export function databaseAddress(url: string) {
  const [, user = '', places = '', database = '', query = ''] =
    /^postgres(?:ql)?:\/\/([^/?#@:\s]+)@([^/?#@\s]+)\/([^/?#\s]+)(?:\?([^#\s]*))?$/.exec(url) ?? [];
  const hosts = places.split(',').map(hostAndPort);
  const given = sslModes.get(query);
  if (user === '' || given === undefined || !hosts.every((one) => one !== undefined)) return undefined;
  const tls = given ?? !hosts.every(({ host }) => isLoopback(host));
  try {
    return { hosts, user: decodeURIComponent(user), database: decodeURIComponent(database), tls };
  } catch {
    return undefined;
  }
}

function hostAndPort(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, inBrackets, name = '', digits] = /^(?:\[([\da-fA-F:.]+)\]|([^[\]:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = inBrackets ?? name;
  const port = Number(digits ?? standardPort);
  const isHost = inBrackets === undefined ? isIP(host) === 4 || isHostName(host) : isIP(host) === 6;
  return isHost && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

function isLoopback(host: string): boolean {
  return /^localhost$/i.test(host) || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function hasPassword(text: string): boolean {
  return /^postgres(?:ql)?:\/\/[^/?#@:]*:[^@]*@/.test(text) || /[?&]password=/.test(text);
}
