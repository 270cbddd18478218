// The routes about one's own sessions, password, passkeys and handovers, and the invitations of others (HTTP API 13.1).
import type { SignInServices } from '../../domain/accounts/sign-in-services.ts';
import { DomainError } from '../../domain/errors.ts';
import { managementPage, noParameters, oneAccount, onePasskey } from '../pipeline/query.ts';
import { type Asked, bodyRoute, created, done, ok, type Route, route } from '../pipeline/route.ts';
import type { GatewayLinks, ServedPage } from '../pipeline/served-page.ts';
import { noMembers } from './request-schemas.ts';
import {
  handoverView,
  newInvitation,
  newPasskey,
  ofOneAccount,
  oneSession,
  passkeyView,
  passwordChange,
  seenHandover,
  sessionPage,
  sessionView,
} from './sign-in-schemas.ts';
import { pageView } from './views.ts';

/** A QR code as an SVG image. */
export type DrawQr = (text: string) => string;

const account = '/api/v1/account';
const handover = '/api/v1/session/handover';

export function ownAccountRoutes(options: {
  readonly services: SignInServices;
  readonly links: GatewayLinks;
  readonly drawQr: DrawQr;
}): readonly Route[] {
  const { services, links, drawQr } = options;
  const { signIns, passwords, handovers, passkeys } = services;
  const siteOf = ({ page }: Pick<Asked<unknown, unknown>, 'page'>) => links.siteOf(requirePage(page));

  return [
    route('GET', '/api/v1/sessions', 'listSessions', sessionPage, ({ caller, parameters: { page, username } }) =>
      ok(pageView(signIns.list(caller, page, username), sessionView)),
    ),
    route('DELETE', '/api/v1/sessions', 'endOtherSessions', ofOneAccount, async ({ caller, parameters: { username } }) =>
      ok({ success: true, ended: await signIns.endOthers(caller, username) }),
    ),
    route('DELETE', '/api/v1/sessions/{sessionId}', 'endSession', oneSession, ({ caller, parameters: { sessionId } }) =>
      done(signIns.end(caller, sessionId)),
    ),

    bodyRoute('PUT', `${account}/password`, 'changePassword', noParameters, passwordChange, ({ caller, body: { current, password } }) =>
      done(passwords.change(caller, current, password)),
    ),

    route('GET', `${account}/passkeys`, 'listPasskeys', managementPage, ({ caller, parameters }) =>
      ok(pageView(passkeys.list(caller, parameters), passkeyView)),
    ),
    bodyRoute('POST', `${account}/passkeys/options`, 'passkeyCreationOptions', noParameters, noMembers, async (asked) =>
      ok({ options: await passkeys.creationOptions(asked.caller, siteOf(asked)) }),
    ),
    bodyRoute('POST', `${account}/passkeys`, 'addPasskey', noParameters, newPasskey, async (asked) => {
      const { passkeyId, name } = await passkeys.add(asked.caller, siteOf(asked), asked.body.name, asked.body.response);
      return created({ passkeyId, name });
    }),
    route('DELETE', `${account}/passkeys/{passkeyId}`, 'removePasskey', onePasskey, ({ caller, parameters: { passkeyId } }) =>
      done(passkeys.remove(caller, passkeyId)),
    ),

    bodyRoute('POST', handover, 'makeHandover', noParameters, noMembers, async ({ caller, page }) => {
      const { secret, handover } = handovers.make(caller);
      const url = links.linkTo(`handover/${secret}`, page);
      return created({ handoverId: handover.handoverId, url, qr: drawQr(url), expiresDate: handover.expiresAt });
    }),
    route('GET', handover, 'handoverState', noParameters, ({ caller }) => ok(handoverView(handovers.state(caller)))),
    bodyRoute('POST', `${handover}/confirm`, 'confirmHandover', noParameters, seenHandover, ({ caller, body: { handoverId } }) =>
      done(handovers.confirm(caller, handoverId)),
    ),
    route('DELETE', handover, 'cancelHandover', noParameters, ({ caller }) => {
      handovers.cancel(caller);
      return ok({ success: true });
    }),
  ];
}

/** Also for administrators of this machine, who come from no page. */
export function invitationRoutes(options: {
  readonly services: Pick<SignInServices, 'invitations'>;
  readonly links: Pick<GatewayLinks, 'linkTo'>;
  readonly drawQr: DrawQr;
}): readonly Route[] {
  const { services, links, drawQr } = options;
  return [
    bodyRoute(
      'POST',
      '/api/v1/gateway/accounts/{username}/invitation',
      'invite',
      oneAccount,
      newInvitation,
      async ({ caller, parameters: { username }, body: { expiresInHours }, page }) => {
        // Before the invitation is made: one without a link would end the one before for nothing.
        links.linkTo('', page);
        const { secret, expiresAt } = await services.invitations.invite(caller, username, expiresInHours);
        const url = links.linkTo(`invitation/${secret}`, page);
        return created({ url, qr: drawQr(url), expiresDate: expiresAt });
      },
    ),
  ];
}

function requirePage(page: ServedPage | undefined): ServedPage {
  if (page === undefined) throw new DomainError('not-supported', 'passkeys are made in a browser');
  return page;
}
