// The schemas of the answers about signing in (HTTP API 13.1).
import { z } from 'zod';

const dateMs = z.int().min(0);
const signedIn = z.strictObject({ username: z.string(), gatewayAdministrator: z.boolean(), accessManager: z.boolean() });
const method = z.enum(['token', 'password', 'passkey', 'handover']);
const sessionId = z.string().min(1);
const code = z.string().regex(/^\d{4}$/);

const session = z.strictObject({
  sessionId,
  username: z.string(),
  method,
  createDate: dateMs,
  lastUsedDate: dateMs,
  expiresDate: dateMs,
  stay: z.boolean(),
  address: z.string(),
  agent: z.string(),
  current: z.boolean(),
});

const passkey = z.strictObject({
  passkeyId: z.int().min(1),
  name: z.string(),
  createDate: dateMs,
  lastUsedDate: dateMs.nullable(),
  host: z.string(),
});

/** A link that is shown once, and as a QR code. */
const link = { url: z.string(), qr: z.string(), expiresDate: dateMs };

export const signInAnswers = {
  SignedIn: signedIn.extend({ method }),
  WhoIsSignedIn: signedIn.extend({
    method: method.exactOptional(),
    sessionId: sessionId.exactOptional(),
    hasPassword: z.boolean().exactOptional(),
    passkeys: z.int().min(0).exactOptional(),
    invitedBy: z.string().exactOptional(),
  }),
  Session: session,
  EndedSessions: z.strictObject({ success: z.literal(true), ended: z.int().min(0) }),
  Passkey: passkey,
  IssuedPasskey: passkey.pick({ passkeyId: true, name: true }),
  PasskeyOptions: z.strictObject({ options: z.looseObject({}) }),
  Invitation: z.strictObject(link),
  Invited: z.strictObject({ username: z.string(), expiresDate: dateMs }),
  IssuedHandover: z.strictObject({ handoverId: z.string().min(1), ...link }),
  Handover: z.strictObject({
    handoverId: z.string().min(1),
    state: z.enum(['waiting', 'claimed', 'confirmed', 'taken']),
    expiresDate: dateMs,
    agent: z.string().nullable(),
    address: z.string().nullable(),
    code: code.nullable(),
  }),
  ClaimedHandover: z.strictObject({ claim: z.string(), code, expiresDate: dateMs }),
  AwaitedHandover: z.strictObject({ state: z.literal('claimed') }),
};
