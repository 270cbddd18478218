// A mail server on loopback: it takes mail over TLS, or after STARTTLS, from whoever knows the password, and keeps it.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  /** Who the envelope says it is for. */
  readonly to: readonly string[];
  /** By lower-case name, unfolded, as they were sent. */
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly text: string;
}

export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** What it answers to mail from now on; undefined: it takes it. */
  refusal: { readonly code: number; readonly text: string } | undefined;
  /** Nobody is there any more, until `up`. */
  down(): Promise<void>;
  /** At the same port as before. */
  up(): Promise<void>;
}

export const mailLogin = { username: 'gateway', password: 'sesame' };

/** `starttls`: encrypted when the client asks for it; `none`: never. */
export async function startMailServer(
  identity: { readonly key: string; readonly cert: string },
  encryption: 'tls' | 'starttls' | 'none' = 'tls',
): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let server: SMTPServer | undefined;
  let port = 0;
  const receiver: MailServer = {
    get port() {
      return port;
    },
    mails,
    refusal: undefined,
    async up() {
      const started = new SMTPServer({
        ...identity,
        secure: encryption === 'tls',
        disabledCommands: encryption === 'none' ? ['STARTTLS'] : [],
        logger: false,
        closeTimeout: 100,
        onAuth({ username, password }, _session, done) {
          const isRight = username === mailLogin.username && password === mailLogin.password;
          done(isRight ? null : new Error('no such user'), isRight ? { user: mailLogin.username } : undefined);
        },
        onData(stream, session, done) {
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            if (receiver.refusal !== undefined) {
              done(Object.assign(new Error(receiver.refusal.text), { responseCode: receiver.refusal.code }));
              return;
            }
            const to = session.envelope.rcptTo.map(({ address }) => address);
            mails.push(readMail(to, Buffer.concat(chunks).toString('latin1')));
            done();
          });
        },
      });
      started.on('error', () => undefined);
      await new Promise<void>((resolve) => started.listen(port, '127.0.0.1', resolve));
      port = (started.server.address() as AddressInfo).port;
      server = started;
    },
    async down() {
      const stopped = server;
      server = undefined;
      if (stopped !== undefined) await new Promise<void>((resolve) => stopped.close(() => resolve()));
    },
  };
  await receiver.up();
  return receiver;
}

function readMail(to: readonly string[], raw: string): ReceivedMail {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const),
  );
  const text = decoded(body.join('\r\n\r\n'), headers.get('content-transfer-encoding') ?? '7bit');
  return { to, headers, subject: withoutEncodedWords(headers.get('subject') ?? ''), text };
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? quotedPrintable(body.replaceAll(/=\r\n/g, '')) : body;
}

function quotedPrintable(text: string): string {
  return Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
}

/** RFC 2047. */
function withoutEncodedWords(text: string): string {
  return text
    .replaceAll(/\?= +=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_all, kind: string, word: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString('utf8') : quotedPrintable(word.replaceAll('_', ' ')),
    );
}
