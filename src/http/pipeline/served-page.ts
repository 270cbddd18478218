// Where a page was served from, and the links that lead other browsers to this gateway.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { PasskeySite } from '../../domain/accounts/sign-in-ports.ts';
import { DomainError } from '../../domain/errors.ts';
import { clientOf } from './client.ts';

export interface ServedPage {
  /** Host and port, as the browser sent them. */
  readonly host: string;
  readonly isEncrypted: boolean;
}

export function servedPage(request: IncomingMessage): ServedPage {
  return { host: request.headers.host ?? '', isEncrypted: clientOf(request).isOverTls };
}

export interface GatewayLinks {
  /** The site of passkeys that this page may make and use. Throws `not-supported` without https, and for addresses and foreign names. */
  siteOf(page: ServedPage): PasskeySite;
  /**
   * A link to this fragment of the console for a browser on another machine: over https where that is on, else as this page was reached.
   * `page` undefined: nobody has reached one yet, as at the command line or for a message. Throws `not-supported` when no page is served.
   */
  linkTo(fragment: string, page: ServedPage | undefined): string;
  /** The address of the console that such a link begins with, without a path. Throws as `linkTo`. */
  originFor(page: ServedPage | undefined): string;
}

interface Listener {
  readonly host: string;
  readonly port: number;
}

/**
 * `names` are the host names and addresses of this gateway, those that others find best first; `usual` is where people open the console, when
 * the configuration says so.
 */
export function createGatewayLinks(options: {
  readonly names: () => readonly string[];
  readonly listeners: () => { readonly http?: Listener; readonly https?: Listener };
  readonly usual?: string | undefined;
}): GatewayLinks {
  const { names, listeners, usual } = options;

  /** The name under which others reach a listener. */
  function nameOf({ host }: Listener): string {
    if (host !== '0.0.0.0' && host !== '::') return host;
    const known = names();
    return known.find((name) => isIP(name) === 0 && name !== 'localhost') ?? known[0] ?? 'localhost';
  }
  const originOf = (scheme: 'http' | 'https', listener: Listener) =>
    urlOf(scheme, `${bracketed(nameOf(listener))}:${listener.port}`).origin;

  function originFor(page: ServedPage | undefined): string {
    if (page === undefined && usual !== undefined) return new URL(usual).origin;
    const { http, https } = listeners();
    if (page?.isEncrypted && !isLoopback(urlOf('https', page.host).hostname)) return urlOf('https', page.host).origin;
    if (https !== undefined) return originOf('https', https);
    if (page !== undefined) return urlOf('http', page.host).origin;
    if (http !== undefined) return originOf('http', http);
    throw new DomainError('not-supported', 'this gateway serves no pages: http and https are off');
  }

  return {
    siteOf({ host, isEncrypted }) {
      if (!isEncrypted) throw new DomainError('not-supported', 'passkeys need https');
      const { hostname, origin } = urlOf('https', host);
      if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
        throw new DomainError('not-supported', 'passkeys need a host name: open this page by a name of the gateway and not by an address');
      if (!names().some((name) => name.toLowerCase() === hostname))
        throw new DomainError('not-supported', `${hostname} is no name of this gateway (tlsNames in its configuration)`);
      return { host: hostname, origin };
    },

    linkTo: (fragment, page) => `${originFor(page)}/#/${fragment}`,
    originFor,
  };
}

function urlOf(scheme: 'http' | 'https', host: string): URL {
  const text = `${scheme}://${host}`;
  if (!URL.canParse(text)) throw new DomainError('not-supported', 'the request does not say which host it is for');
  return new URL(text);
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
