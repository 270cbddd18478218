// The texts about the upkeep of the gateway, in German.
import type { UpkeepTexts } from './upkeep-en.ts';

export const upkeepDe: UpkeepTexts = {
  backups: {
    title: 'Sicherungen',
    intro: 'Jede Nacht entsteht eine. Heruntergeladen wird sie verschlüsselt, denn sie enthält die Schlüssel des Gateways.',
    make: 'Jetzt sichern',
    making: (size) => `Eine Sicherung entsteht: bisher ${size}.`,
    done: (name) => `${name} ist fertig.`,
    failed: (why) => `Die Sicherung ist fehlgeschlagen: ${why}`,
    name: 'Datei',
    date: 'Entstanden',
    size: 'Größe',
    beforeUpgrade: 'vor einer Aktualisierung',
    none: 'Es gibt noch keine Sicherung.',
    download: 'Herunterladen',
    downloadOf: (name) => `${name} herunterladen`,
    passphrase: 'Passphrase',
    passphraseHint: 'Mindestens 12 Zeichen. Notieren Sie sie an anderer Stelle: Ohne sie kann niemand die Datei öffnen.',
    again: 'Die Passphrase noch einmal',
    differ: 'Beide sind nicht gleich.',
    open: (name) => `So wird sie geöffnet: age --decrypt --output ${name} ${name}.age`,
  },
  warnings: {
    title: 'Warnungen der letzten 24 Stunden',
    none: 'Seit dem Start des Gateways oder seit 24 Stunden ist nichts schiefgegangen.',
    what: 'Was',
    times: 'Anzahl',
    last: 'Zuletzt',
    levels: { warn: 'Warnung', error: 'Fehler', fatal: 'Ende des Gateways' },
  },
  firstRun: {
    title: 'Dieses Gateway einrichten',
    intro: 'Hier gibt es keine Schlösser, an denen Sie eine Rolle haben. Was erledigt ist, wird von selbst abgehakt.',
    done: 'erledigt',
    open: 'offen',
    reach: {
      title: 'Den Zugang über https öffnen',
      text: 'Kennwörter und Cookies sind dann verschlüsselt unterwegs. In der Konfiguration unter https die Zeile enabled: true schreiben und das Gateway neu starten.',
      restart: 'sudo systemctl restart latchd',
      trust: 'Browser vertrauen ihm, sobald sie sein Stammzertifikat haben:',
      certificate: 'ca.crt herunterladen',
    },
    accounts: {
      title: 'Konten anlegen',
      text: 'Jede Person bekommt ein Konto und eine Einladung, als Link oder QR-Code, und wählt ein Kennwort.',
      link: 'Zu den Konten',
    },
    locks: {
      title: 'Das erste Schloss aufnehmen',
      text: 'Ein Schloss, das seinen Schlüssel selbst erzeugt, wird beim Koppeln gefunden; jedes andere wird mit seiner Nummer registriert.',
      pairing: 'Schloss koppeln',
      register: 'Schloss registrieren',
    },
    simulated: {
      title: 'Oder mit simulierten Schlössern umsehen',
      text: 'Im Ordner von latchd, auf dieser Maschine:',
      command: 'npm run sim -- --locks 3',
    },
  },
};
