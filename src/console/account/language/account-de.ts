// Alles, was über Konten gesagt wird, auf Deutsch; Abschnitte und Namen wie in `account-en.ts`.
import type { AccountTexts } from './account-en.ts';

const count = (n: number, one: string, many: string): string => `${n.toLocaleString('de')} ${n === 1 ? one : many}`;

export const accountDe: AccountTexts = {
  accounts: {
    title: 'Konten',
    intro: 'Wer dieses Gateway benutzen darf. Was jemand an einer Tür darf, steht beim jeweiligen Schloss.',
    add: 'Neues Konto',
    username: 'Benutzername',
    usernameHint: 'Buchstaben, Ziffern und . _ @ -',
    gatewayAdministrator: 'Gateway-Administrator',
    gatewayAdministratorHint: 'Registriert Schlösser und verwaltet Konten. Das allein öffnet keine Tür.',
    accessManager: 'Verwaltet den Zutritt',
    accessManagerHint: 'Gibt Personen Karten, Codes und Berechtigungen, für Schlösser, deren Verwalter das Konto ist.',
    change: (username) => `Rechte von ${username} ändern`,
    changeShort: 'Ändern',
    changed: (username) => `Die Rechte von ${username} sind geändert.`,
    created: 'Angelegt',
    none: 'Es gibt keine Konten.',
    added: (username) => `${username} hat jetzt ein Konto.`,
    remove: (username) => `${username} entfernen`,
    removeText: (username) => `Alle Tokens und Rollen von ${username} enden sofort.`,
    removed: (username) => `${username} wurde entfernt.`,
  },
  tokens: {
    title: 'Zugangstoken',
    intro: 'Damit melden sich Menschen und Programme an. Jedes darf, was sein Konto darf.',
    add: 'Neues Token',
    name: 'Name',
    nameHint: 'Wo es gebraucht wird, etwa „Empfang“',
    account: 'Konto',
    created: 'Erstellt',
    expires: 'Läuft ab',
    expired: (date) => `abgelaufen am ${date}`,
    lifetime: 'Gültig für',
    lifetimes: (days) => (days === 0 ? 'immer' : days % 365 === 0 ? count(days / 365, 'Jahr', 'Jahre') : count(days, 'Tag', 'Tage')),
    secret: 'Zugangstoken',
    madeText: 'Wer dieses Token hat, darf alles, was sein Konto darf.',
    none: 'Es gibt keine Token.',
    revoke: 'Widerrufen',
    remove: (name, username) => `„${name}“ von ${username} widerrufen`,
    removeText: 'Es wird ab sofort abgelehnt. Wer damit angemeldet ist, ist sofort abgemeldet.',
    webhooksStay: (username, names) => `Webhooks von ${username} laufen weiter, bis sie entfernt werden: ${names}.`,
    removed: (name) => `„${name}“ wurde widerrufen.`,
  },
};
