// Sends messages by SMTP, always encrypted: smtps from the first byte, smtp by STARTTLS. nodemailer writes the mail and speaks the protocol; it
// connects to an address that was checked, and has a connection for each message. It is loaded with the first one.
import { isIP } from 'node:net';
import type { Clock } from '../../domain/clock.ts';
import type { NotificationSender, OutgoingMessage } from '../../domain/notifications/notification-ports.ts';
import { type CheckedAddresses, createCheckedAddresses, type Lookup } from '../checked-addresses.ts';
import { firstLineOf, operatorReasonOf } from '../first-line.ts';
import { hostOf, type Networks } from '../networks.ts';

const ports = { 'smtps:': 465, 'smtp:': 587 } as const;
/** No mail program answers these: they are for people. */
const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

export interface EmailSenderOptions {
  /** smtps: or smtp: with a host and perhaps a port. */
  readonly server: string;
  readonly username?: string | undefined;
  /** Its first line is the password. */
  readonly passwordFile?: string | undefined;
  readonly from: string;
  readonly networks: Networks;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** The system's look-up, unless a test gives its own. */
  readonly lookup?: Lookup | undefined;
}

export function createEmailSender(options: EmailSenderOptions): NotificationSender {
  const { timeoutMs, clock } = options;
  const checkedAddresses = createCheckedAddresses(options);
  const underWay = new Set<(reason: string) => void>();

  return {
    async send(message) {
      const begun = clock.monotonic();
      let stop = (_reason: string): void => undefined;
      const stopped = new Promise<never>((_resolve, reject) => {
        stop = (reason) => reject(new Error(reason));
      });
      underWay.add(stop);
      const cancel = clock.timer(timeoutMs, () => stop(`no answer within ${timeoutMs} ms`));
      const ms = (): number => Math.round(clock.monotonic() - begun);
      try {
        const status = await Promise.race([sendOnce(options, checkedAddresses, message, stopped), stopped]);
        return { delivered: true, status, reason: '', ms: ms() };
      } catch (error) {
        const { responseCode: status = null } = error as { readonly responseCode?: number };
        return { delivered: false, status, reason: reasonOf(error), ms: ms(), ...operatorReasonOf(error) };
      } finally {
        cancel();
        underWay.delete(stop);
      }
    },
    stop() {
      for (const stop of [...underWay]) stop('the gateway stops');
    },
  };
}

/** Resolves with the code of the server's last answer. */
async function sendOnce(
  { server, username, passwordFile, from, timeoutMs }: EmailSenderOptions,
  checkedAddresses: CheckedAddresses,
  { id, to, title, text }: OutgoingMessage,
  stopped: Promise<never>,
): Promise<number> {
  const url = new URL(server);
  const isSecure = url.protocol === 'smtps:';
  const port = url.port === '' ? ports[isSecure ? 'smtps:' : 'smtp:'] : Number(url.port);
  const host = hostOf(url);
  const [address] = await checkedAddresses(host, port);
  const pass = passwordFile === undefined ? undefined : await firstLineOf('the password file', passwordFile);
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    // The address that was checked, not the name, which could point to another one by now; TLS expects the name.
    ...{ host: address as string, port, secure: isSecure, requireTLS: true },
    tls: isIP(host) === 0 ? { servername: host } : {},
    ...(username !== undefined && pass !== undefined && { auth: { user: username, pass } }),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  stopped.catch(() => transport.close());
  try {
    const { response } = await transport.sendMail({
      ...{ from, to: { name: '', address: to }, subject: title, text, headers },
      messageId: `<${id}@${from.slice(from.indexOf('@') + 1)}>`,
    });
    return Number(response.slice(0, 3));
  } finally {
    transport.close();
  }
}

/** A reason for people to read; it never contains more of the other side's text than a code. */
function reasonOf(error: unknown): string {
  const { responseCode, code, message } = error as { readonly responseCode?: number; readonly code?: string; readonly message: string };
  if (responseCode !== undefined) return `answered ${responseCode}${code === 'EAUTH' ? ': the user name or password is wrong' : ''}`;
  return code === undefined ? message : `no answer: ${code}`;
}
