// The texts about the building as a whole, in English. `building-de.ts` has the same texts in German; it does not compile if one is missing.

const count = (n: number, one: string, many: string): string => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

export const buildingEn = {
  activity: 'Activity',
  activityIntro: 'What happened at all doors of which you are a manager, the newest first.',
  live: 'Live',
  looking: 'Looking…',
  nothing: 'Nothing like that happened.',
  lookedAt: (from: string, to: string) => `With these filters 31 days are looked at: ${from} to ${to}. For others choose From and To.`,
  tooLong: 'From and To are too far apart: with any filter but a door they can be 31 days apart at most.',
  nothingYet: 'Nothing has happened yet. What happens at the doors appears here by itself.',
  managesNone:
    'What happened at a door is for managers of its lock, and you are a manager of none. Whoever administers a lock, or a gateway administrator, can give you that role.',
  older: 'Show older ones',
  filters: 'Filters',
  clear: 'Clear the filters',
  door: 'Door',
  noDoor: 'you are a manager of no door of this name',
  who: 'Person or account',
  outcome: 'Outcome',
  anyOutcome: 'Any outcome',
  succeeded: 'Done',
  failed: 'Refused or failed',
  kinds: { unlock: 'Unlocked', lock: 'Locked', refused: 'Refused', alarm: 'Alarms', door: 'Door opened or closed' },
  gatewayDate: 'by the clock of the gateway',
  /** Why a lock refused, by the words of the lock protocol. */
  reasons: {
    'unknown-card': 'The lock does not know this card.',
    'wrong-passcode': 'The lock does not know this passcode.',
    'unknown-fingerprint': 'The lock does not know this fingerprint.',
    'not-valid-now': 'Its time has not begun, or is over.',
    schedule: 'Not at this hour or on this day.',
    used: 'It opened once, and is used up.',
    'locked-out': 'Too many attempts before.',
    'clock-not-set': 'The lock does not know what time it is.',
    'privacy-lock': 'Locked from inside.',
    'low-battery': 'Too little power.',
    jammed: 'The bolt could not move.',
    busy: 'The lock was doing something else.',
  } as Record<string, string>,
  order: 'Order of the groups',
  orderText: 'The board shows the groups in this order, to everybody.',
  up: (group: string) => `Move ${group} up`,
  down: (group: string) => `Move ${group} down`,
  toTop: (group: string) => `Move ${group} to the top`,
  movedTo: (group: string, place: number, of: number) => `${group} is number ${place} of ${of} now.`,
  byName: 'Order by name',
  byNameDone: 'The groups are ordered by name.',
  ordered: 'The groups have a new order.',
  lockAllText: (doors: number) => `${count(doors, 'door is', 'doors are')} told to lock now. Each lock says for itself what came of it.`,
  managesNotAll: 'There are doors in this group of which you are no manager, so none was told anything.',
  report: (group: string) => `${group}: what came of it`,
  locked: (locked: number, of: number) =>
    locked === of
      ? `${count(of, 'door is', 'doors are')} locked.`
      : `${locked.toLocaleString('en')} of ${count(of, 'door is', 'doors are')} locked. Look after the others:`,
  /** What came of a lock command, by the names of the HTTP API. */
  results: {
    timeout: 'Did not answer in time: look at the door',
    busy: 'Busy with other commands: try again',
    gone: 'Was removed meanwhile',
  } as Record<string, string>,
};

export type BuildingTexts = typeof buildingEn;
