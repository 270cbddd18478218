// How a lock of another make is named on the command line: `--driver <kind>:<address>`, and `--set <member>=<value>` for what has a default.
import { type Option, WrongValue } from './command.ts';

/** The members of the API's `driver` that the address holds, in its order, with slashes between them. */
const addressMembers: Readonly<Record<string, readonly string[]>> = {
  nuki: ['nukiId'],
  'nuki-hub': ['base'],
  shelly: ['prefix'],
  zigbee2mqtt: ['bridge', 'ieee'],
  discovery: ['bridge', 'uniqueId'],
};

type Members = Readonly<Record<string, string | number | null>>;

export const driverOptions: readonly Option[] = [
  {
    flag: '--driver',
    value: '<kind:address>',
    says: 'instead of a MAC address: a lock of another make, such as nuki:2BB28570 or zigbee2mqtt:house/0x000d6f0012bc896e',
    read: readDriver,
  },
  {
    flag: '--set',
    value: '<member=value>',
    says: 'how it is spoken to, such as unlock=unlatch or pulseSeconds=5; may be given several times',
    read: readMember,
    isRepeatable: true,
  },
];

function readDriver(text: string): Members {
  const [kind = '', address = ''] = parted(text, ':');
  const names = Object.hasOwn(addressMembers, kind) ? addressMembers[kind] : undefined;
  if (names === undefined) throw new WrongValue(`it must begin with one of ${Object.keys(addressMembers).join(', ')}, and a colon.`);
  const [first = '', second] = names;
  if (second === undefined) return { kind, [first]: address };
  const [before = '', after = ''] = parted(address, '/');
  return { kind, [first]: before, [second]: after };
}

function readMember(text: string): readonly [string, string | number | null] {
  const [name = '', value] = parted(text, '=');
  if (name === '' || value === undefined) throw new WrongValue('it must be a member, = and its value, such as unlock=unlatch.');
  if (value === 'null') return [name, null];
  return [name, /^\d{1,9}$/.test(value) ? Number(value) : value];
}

/** What is before and behind the first mark. */
function parted(text: string, mark: string): readonly string[] {
  const place = text.indexOf(mark);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}

export interface DriverFlags {
  readonly driver?: Members;
  readonly set?: readonly (readonly [string, string | number | null])[];
}

/** The member of the API's body; undefined for a lock of our own. Throws when there is something to set, and no driver. */
export function driverBody({ driver, set = [] }: DriverFlags): object | undefined {
  if (driver === undefined && set.length > 0) throw new Error('--set is for a lock with a --driver');
  return driver && { ...driver, ...Object.fromEntries(set) };
}

/** The command line's words for the members of the API's `driver`. */
export function driverNames({ driver = {}, set = [] }: DriverFlags): Readonly<Record<string, string>> {
  const given = [
    ...Object.keys(driver).map((name) => [name, '--driver'] as const),
    ...set.map(([name]) => [name, `--set ${name}`] as const),
  ];
  return Object.fromEntries(given.map(([name, option]) => [`driver.${name}`, option]));
}
