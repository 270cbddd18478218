// The routes for the upkeep of the gateway: backups, warnings, and the root certificate (HTTP API 13.5).
import { requireGatewayAdministrator } from '../../domain/accounts/permissions.ts';
import type { Archive, BackupService, Making } from '../../domain/backups/backup-service.ts';
import { DomainError } from '../../domain/errors.ts';
import type { RecentWarnings, Warning } from '../../domain/recent-warnings.ts';
import { managementPage, noParameters } from '../pipeline/query.ts';
import { type AnyRoute, ok, type Route, route } from '../pipeline/route.ts';
import type { GatewayLinks } from '../pipeline/served-page.ts';
import type { DrawQr } from './own-account-routes.ts';
import type { ResponseBody } from './response-schemas.ts';
import { downloadPassphrase, oneBackup } from './upkeep-schemas.ts';
import { pageView } from './views.ts';

export interface Upkeep {
  readonly backups: BackupService;
  readonly warnings: RecentWarnings['list'];
  /** The certificate of the gateway's own authority as PEM; undefined: it has none. */
  readonly authority: () => Promise<string | undefined>;
  /** The names by which others find the gateway, the best first: those of the operator, and those that are announced. */
  readonly names: () => readonly string[];
  /** A supervisor of the machine runs the gateway. */
  readonly isService: boolean;
}

export function upkeepRoutes(upkeep: Upkeep, links: Pick<GatewayLinks, 'originFor'>, drawQr: DrawQr): readonly AnyRoute[] {
  const { backups } = upkeep;
  return [
    route('POST', '/api/v1/gateway/backups', 'beginBackup', noParameters, ({ caller }) => ({
      status: 202,
      body: makingView(backups.begin(caller)),
    })),
    route('GET', '/api/v1/gateway/backups', 'listBackups', managementPage, async ({ caller, parameters }) => {
      const { making, ...page } = await backups.list(caller, parameters);
      return ok({ ...pageView(page, archiveView), making: making && makingView(making) } satisfies ResponseBody<'BackupPage'>);
    }),
    {
      ...{ method: 'POST', path: '/api/v1/gateway/backups/{name}/download', operation: 'downloadBackup' },
      ...{ parameters: oneBackup, body: downloadPassphrase, answerType: 'application/octet-stream' },
      handle: ({ caller, parameters: { name }, body: { passphrase } }) => ({
        contentType: 'application/octet-stream',
        pieces: backups.download(caller, name, passphrase),
        headers: ['Content-Disposition', `attachment; filename="${name.replaceAll(/[^\w.-]/g, '')}.age"`],
      }),
    } satisfies Route<{ name: string }, { passphrase: string }> as Route,
    route('GET', '/api/v1/gateway/warnings', 'listWarnings', noParameters, ({ caller }) => {
      requireGatewayAdministrator(caller);
      return ok({ list: upkeep.warnings().map(warningView) } satisfies ResponseBody<'WarningList'>);
    }),
    route('GET', '/api/v1/gateway/reach', 'gatewayReach', noParameters, async ({ caller, page }) => {
      requireGatewayAdministrator(caller);
      const origin = links.originFor(page);
      const url = `${origin}/ca.crt`;
      const hasCertificate = (await upkeep.authority()) !== undefined;
      return ok({
        ...{ url: `${origin}/`, names: [...upkeep.names()], service: upkeep.isService },
        certificate: hasCertificate ? { url, qr: drawQr(url) } : null,
      } satisfies ResponseBody<'Reach'>);
    }),
    {
      ...{ method: 'GET', path: '/ca.crt', operation: 'rootCertificate', open: true },
      async handle() {
        const text = await upkeep.authority();
        if (text === undefined) throw new DomainError('not-found', 'this gateway has no certificate authority of its own');
        const headers = ['Content-Disposition', 'attachment; filename="latchd-ca.crt"'];
        return { contentType: 'application/x-x509-ca-cert', text, headers };
      },
    },
  ];
}

function makingView({ state, startedAt: startDate, bytes, name, error }: Making): ResponseBody<'BackupMaking'> {
  return { state, startDate, bytes, name, error };
}

function archiveView({ name, madeAt: date, bytes, beforeUpgrade }: Archive): ResponseBody<'BackupPage'>['list'][number] {
  return { name, date, bytes, beforeUpgrade };
}

function warningView({
  firstAt,
  lastAt,
  level,
  code,
  lockId,
  message,
  detail,
  count,
}: Warning): ResponseBody<'WarningList'>['list'][number] {
  return { level, code, lockId, message, detail, firstDate: firstAt, lastDate: lastAt, count };
}
