// All commands, in the order of the help.
import type { Config } from '../../app/config.ts';
import { access } from './access.ts';
import { accounts } from './accounts.ts';
import { alarms } from './alarms.ts';
import { audit } from './audit.ts';
import { backup } from './backup.ts';
import { capture } from './capture.ts';
import { cards } from './cards.ts';
import { checkConfig } from './check-config.ts';
import { clock } from './clock.ts';
import { type Command, command, type Group } from './command.ts';
import { completion } from './completion.ts';
import { conformance } from './conformance.ts';
import { doctor } from './doctor.ts';
import { exportCommand } from './export.ts';
import { grants, schedules } from './grants.ts';
import { health } from './health.ts';
import { homeAssistantGroup } from './home-assistant.ts';
import { hubs } from './hubs.ts';
import { locks } from './locks.ts';
import { mcp } from './mcp.ts';
import { migrateCommand } from './migrate.ts';
import { pairing } from './pairing.ts';
import { people } from './people.ts';
import { recovered } from './recovered.ts';
import { restoreCommand } from './restore.ts';
import { roles } from './roles.ts';
import { tokens } from './tokens.ts';
import { ttlockLogins } from './ttlock-logins.ts';
import { verifyCommand } from './verify.ts';
import { webhooks } from './webhooks.ts';

/** `serve` runs the daemon: it resolves when the daemon serves, and later ends the process itself. */
export function commandTable(serve: (read: () => Config) => Promise<void>): readonly (Command | Group)[] {
  const table: readonly (Command | Group)[] = [
    command({
      name: 'serve',
      says: 'serve until SIGTERM or SIGINT',
      settings: 'all',
      examples: [
        ['serve', 'with config/latchd.yaml, or the file that LATCHD_CONFIG names'],
        ['serve --data-dir /var/lib/latchd --https-enabled true', 'encrypted on every network of the machine'],
      ],
      exits: [
        [0, 'stopped as asked'],
        [1, 'it could not start or go on; standard error, or the last line of the log, says why'],
        [78, 'the configuration is wrong; every problem is listed: a supervisor need not try again'],
      ],
      async run(_given, { configured }) {
        await serve(configured);
        return 0;
      },
    }),
    checkConfig,
    doctor,
    health,
    locks,
    hubs,
    pairing,
    accounts,
    tokens,
    ttlockLogins,
    roles,
    people,
    grants,
    schedules,
    cards,
    access,
    alarms,
    webhooks,
    homeAssistantGroup,
    audit,
    exportCommand,
    verifyCommand,
    backup,
    restoreCommand,
    migrateCommand,
    recovered,
    capture,
    mcp,
    conformance,
    clock,
    completion(() => table),
  ];
  return table;
}
