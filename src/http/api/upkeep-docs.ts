// Descriptions of the upkeep of the gateway for the OpenAPI document.
import type { TableDocs } from '../openapi/operation.ts';

const archive = 'latchd-20261121T023000Z.tar.gz';

export const upkeepDocs = {
  beginBackup: {
    summary: 'Begin a backup',
    description: 'It goes on by itself; the list says how far it is, beside the envelope. `conflict`: one is under way.',
    requiredRole: 'gateway administrator',
    refusals: ['conflict'],
    answers: { 202: 'BackupMaking' },
    examples: [
      {
        title: 'Now',
        status: 202,
        answer: { state: 'running', startDate: 1_763_715_600_000, bytes: 0, name: null, error: null },
      },
    ],
  },
  listBackups: {
    summary: 'The backups, the newest first, and the one that was begun last',
    description: '`storage-unavailable`: the folder of the backups cannot be read.',
    requiredRole: 'gateway administrator',
    refusals: ['storage-unavailable'],
    answers: { 200: 'BackupPage' },
    examples: [
      {
        title: 'One, which somebody has just made',
        answer: {
          list: [{ name: archive, date: 1_763_715_600_000, bytes: 81_920, beforeUpgrade: false }],
          ...{ pageNo: 1, pageSize: 100, pages: 1, total: 1 },
          making: { state: 'done', startDate: 1_763_715_600_000, bytes: 1_048_576, name: archive, error: null },
        },
      },
    ],
  },
  downloadBackup: {
    summary: 'A backup, encrypted with a passphrase',
    description:
      'In the age format, which `age --decrypt` reads. Keep the passphrase apart from the file: nobody can open it without. `rate-limited`: two are being downloaded.',
    requiredRole: 'gateway administrator',
    refusals: ['not-found', 'rate-limited'],
    answers: { 200: { mediaType: 'application/octet-stream' } },
    headers: { 'Content-Disposition': 'The name of the file.' },
    examples: [],
  },
  listWarnings: {
    summary: 'What the log said to be wrong within the last 24 hours',
    description: 'Since the start of the gateway; the latest first, lines of the same code about the same lock as one.',
    requiredRole: 'gateway administrator',
    answers: { 200: 'WarningList' },
    examples: [
      {
        title: 'A backup that failed',
        answer: {
          list: [
            {
              ...{ level: 'error', code: 'job-failed', lockId: null, message: 'a daily job failed', detail: 'job backup' },
              ...{ firstDate: 1_763_715_600_000, lastDate: 1_763_715_600_000, count: 1 },
            },
          ],
        },
      },
    ],
  },
  gatewayReach: {
    summary: 'How others reach the gateway',
    description:
      '`url` is where they open the console; `names`: those of `tlsNames`, and those that are announced by mDNS; `service`: systemd runs it. `certificate` is where its root certificate is, also as a QR code in SVG; null: it has none of its own.',
    requiredRole: 'gateway administrator',
    refusals: ['not-supported'],
    answers: { 200: 'Reach' },
    examples: [
      {
        title: 'Over https, by its name',
        answer: {
          ...{ url: 'https://gateway.local:8443/', names: ['gateway.local'], service: true },
          certificate: { url: 'https://gateway.local:8443/ca.crt', qr: '<svg/>' },
        },
      },
    ],
  },
  rootCertificate: {
    summary: 'The certificate that browsers and locks are to trust',
    description: 'Of the gateway’s own authority, as PEM. Compare its fingerprint with that in the log before you trust it.',
    requiredRole: 'nobody',
    refusals: ['not-found'],
    answers: { 200: { mediaType: 'application/x-x509-ca-cert' } },
    headers: { 'Content-Disposition': 'The name of the file.' },
    examples: [],
  },
} satisfies TableDocs;
