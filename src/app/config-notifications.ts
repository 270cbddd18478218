// Through what people are told of alarms and events, as the operator has it. Without any of it nobody is told.
import { isIP } from 'node:net';
import { z } from 'zod';
import { isHostName } from '../platform/mdns/host-name.ts';
import { file, group, network } from './config-values.ts';

const serverSays = 'must be smtps:// or smtp:// with a host and perhaps a port, and nothing else';
const urlSays = 'must be https:// or http:// with a host and perhaps a port and a path, without name, password, query or fragment';
const pageSays = 'must be https:// or http:// with a host and perhaps a port, and nothing else';
const fromSays = 'must be one address such as gateway@example.org';

const email = z
  .strictObject(
    {
      server: z.string(serverSays).refine((text) => isUrl(text, /^smtps?:$/, ''), serverSays),
      username: z.string('must be a text').min(1, 'must not be empty').max(256, 'must be at most 256 characters').optional(),
      passwordFile: file.optional(),
      from: z.string(fromSays).regex(/^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9.-]{1,189}$/, fromSays),
    },
    { error: ({ code }) => (code === 'invalid_type' ? 'must have server and from' : undefined) },
  )
  .superRefine((given, { addIssue }) => {
    const wrong = (member: string, message: string) => addIssue({ code: 'custom', path: [member], message });
    if (given.username !== undefined && given.passwordFile === undefined) wrong('username', 'must come with passwordFile');
    if (given.passwordFile !== undefined && given.username === undefined) wrong('passwordFile', 'must come with username');
  });

const ntfy = z.strictObject(
  { url: z.string(urlSays).refine((text) => isUrl(text, /^https?:$/, undefined), urlSays), tokenFile: file.optional() },
  { error: ({ code }) => (code === 'invalid_type' ? 'must have url' : undefined) },
);

/** Neither by default. */
export const notifications = group({
  email: email.optional(),
  ntfy: ntfy.optional(),
  networks: z.array(network, 'must be a list of networks').default([]),
  page: z
    .string(pageSays)
    .refine((text) => isUrl(text, /^https?:$/, ''), pageSays)
    .optional(),
}).prefault({});

/** `path`: the only one that is allowed, beside a lone slash for `''`; undefined: any. */
function isUrl(text: string, scheme: RegExp, path: string | undefined): boolean {
  if (!/^[a-z]+:\/\/[^\s/?#@\\]+(\/[^\s?#]*)?$/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isHost = isIP(host) !== 0 || isHostName(host);
  return scheme.test(url.protocol) && isHost && (path === undefined || url.pathname.replace(/^\/$/, '') === path);
}
