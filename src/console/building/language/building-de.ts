// Alles, was über das Gebäude als Ganzes gesagt wird, auf Deutsch; Namen wie in `building-en.ts`.
import type { BuildingTexts } from './building-en.ts';

const count = (n: number, one: string, many: string): string => `${n.toLocaleString('de')} ${n === 1 ? one : many}`;

export const buildingDe: BuildingTexts = {
  activity: 'Aktivität',
  activityIntro: 'Was an allen Türen geschah, deren Verwalter Sie sind, das Neueste zuerst.',
  live: 'Live',
  looking: 'Wird gesucht …',
  nothing: 'So etwas ist nicht geschehen.',
  lookedAt: (from, to) => `Mit diesen Filtern wird in 31 Tagen gesucht: ${from} bis ${to}. Für andere wählen Sie Von und Bis.`,
  tooLong: 'Von und Bis liegen zu weit auseinander: Mit jedem Filter außer einer Tür sind es höchstens 31 Tage.',
  nothingYet: 'Noch ist nichts geschehen. Was an den Türen geschieht, erscheint hier von selbst.',
  managesNone:
    'Was an einer Tür geschah, sehen die Verwalter ihres Schlosses, und Sie sind an keinem Verwalter. Der Administrator eines Schlosses oder ein Gateway-Administrator kann Ihnen diese Rolle geben.',
  older: 'Ältere zeigen',
  filters: 'Filter',
  clear: 'Filter aufheben',
  door: 'Tür',
  noDoor: 'an keiner Tür dieses Namens sind Sie Verwalter',
  who: 'Person oder Konto',
  outcome: 'Ergebnis',
  anyOutcome: 'Jedes Ergebnis',
  succeeded: 'Gelungen',
  failed: 'Abgewiesen oder misslungen',
  kinds: { unlock: 'Entriegelt', lock: 'Verriegelt', refused: 'Abgewiesen', alarm: 'Alarme', door: 'Tür geöffnet oder geschlossen' },
  gatewayDate: 'nach der Uhr des Gateways',
  reasons: {
    'unknown-card': 'Das Schloss kennt diese Karte nicht.',
    'wrong-passcode': 'Das Schloss kennt diesen Code nicht.',
    'unknown-fingerprint': 'Das Schloss kennt diesen Fingerabdruck nicht.',
    'not-valid-now': 'Ihre Zeit hat noch nicht begonnen oder ist vorbei.',
    schedule: 'Nicht um diese Zeit oder an diesem Tag.',
    used: 'Sie galt nur einmal und ist verbraucht.',
    'locked-out': 'Zu viele Versuche davor.',
    'clock-not-set': 'Das Schloss weiß nicht, wie spät es ist.',
    'privacy-lock': 'Von innen verriegelt.',
    'low-battery': 'Zu wenig Strom.',
    jammed: 'Der Riegel ließ sich nicht bewegen.',
    busy: 'Das Schloss war mit etwas anderem beschäftigt.',
  },
  order: 'Reihenfolge der Gruppen',
  orderText: 'In dieser Reihenfolge zeigt die Übersicht allen die Gruppen.',
  up: (group) => `${group} nach oben`,
  down: (group) => `${group} nach unten`,
  toTop: (group) => `${group} ganz nach oben`,
  movedTo: (group, place, of) => `${group} ist jetzt Nummer ${place} von ${of}.`,
  byName: 'Nach Namen ordnen',
  byNameDone: 'Die Gruppen sind nach Namen geordnet.',
  ordered: 'Die Gruppen haben eine neue Reihenfolge.',
  lockAllText: (doors) =>
    `${doors === 1 ? 'Eine Tür wird' : `${doors.toLocaleString('de')} Türen werden`} jetzt verriegelt. Jedes Schloss sagt selbst, was daraus geworden ist.`,
  managesNotAll: 'In dieser Gruppe sind Türen, deren Verwalter Sie nicht sind; deshalb wurde keiner etwas gesagt.',
  report: (group) => `${group}: das Ergebnis`,
  locked: (locked, of) =>
    locked === of
      ? `${count(of, 'Tür ist', 'Türen sind')} verriegelt.`
      : `${locked.toLocaleString('de')} von ${count(of, 'Tür ist', 'Türen sind')} verriegelt. Sehen Sie nach den anderen:`,
  results: {
    timeout: 'Hat nicht rechtzeitig geantwortet: an der Tür nachsehen',
    busy: 'Mit anderen Befehlen beschäftigt: noch einmal versuchen',
    gone: 'Wurde inzwischen entfernt',
  },
};
