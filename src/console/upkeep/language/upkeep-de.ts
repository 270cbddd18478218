// The texts about the upkeep of the gateway, in German.
import type { UpkeepTexts } from './upkeep-en.ts';
import { warningsDe } from './warnings-de.ts';

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
    open: 'Der Befehl, der sie öffnet',
  },
  warnings: {
    title: 'Warnungen der letzten 24 Stunden',
    none: 'Seit dem Start des Gateways oder seit 24 Stunden ist nichts schiefgegangen.',
    what: 'Was',
    sentences: warningsDe,
    alarm: (kind) => `Ein Alarm begann: ${kind}.`,
    unknown: 'Etwas, wofür es hier keinen Satz gibt: Die Zeile des Logs sagt, was.',
    lock: (lockId) => `Schloss ${lockId}`,
    line: 'Zeile des Logs',
    times: 'Anzahl',
    last: 'Zuletzt',
    levels: { warn: 'Warnung', error: 'Fehler', fatal: 'Ende des Gateways' },
  },
  update: {
    title: 'Aktualisierungen',
    available: (version) =>
      `latchd ${version} liegt in der Paketquelle. Installieren Sie es auf dem Gerät des Gateways; Türen sind etwa eine Sekunde ohne Gateway:`,
    command: 'Der Befehl, der es installiert',
    newest: (date) => `Das ist die neueste Version, die apt bei seiner letzten Suche gefunden hat: ${date}.`,
    off: 'Niemand sucht nach neueren Versionen: In der Konfiguration ist updates.check false.',
    reasons: {
      'not-asked': 'Ob es eine neuere Version gibt, ist noch nicht bekannt: apt hat noch nicht geantwortet.',
      'no-apt': 'Ob es eine neuere Version gibt, weiß hier niemand: Dieses Gerät hat kein apt. Sehen Sie dort nach, woher diese stammt.',
      'not-installed':
        'Ob es eine neuere Version gibt, weiß hier niemand: apt hat diese nicht installiert. Sehen Sie dort nach, woher sie stammt.',
      'other-version': 'apt hat eine andere Version installiert als die, die läuft. Starten Sie das Gateway neu.',
      'no-repository': 'Diese Version wurde aus einer Datei installiert. Neuere kommen nicht von selbst.',
      failed:
        'Ob es eine neuere Version gibt, ist nicht bekannt: apt gibt keine Antwort. Auf dem Gerät des Gateways sagt latchd doctor, was zu tun ist.',
    },
  },
  certificate: { title: 'Stammzertifikat' },
  firstRun: {
    title: 'Dieses Gateway einrichten',
    intro: 'Hier gibt es keine Schlösser, an denen Sie eine Rolle haben. Was erledigt ist, wird von selbst abgehakt.',
    done: 'erledigt',
    open: 'offen',
    name: {
      title: 'Ihm einen Namen geben',
      found: (names) => `Im Netz finden andere es als ${names}.`,
      none: 'Noch findet es niemand unter einem Namen: Die Ankündigung per mDNS ist aus.',
      more: 'Soll es anders heißen, etwa tueren.example.org, schreiben Sie das in der Konfiguration in tlsNames und starten das Gateway neu:',
    },
    restart: {
      service: 'sudo systemctl restart latchd',
      byHand: 'Strg-C, wo es läuft, und derselbe Befehl noch einmal',
    },
    reach: {
      title: 'Den Zugang über https öffnen',
      now: (addresses) => `Im Augenblick ist es unter ${addresses} erreichbar.`,
      text: 'Über https sind Kennwörter und Cookies verschlüsselt unterwegs. In der Konfiguration unter https die Zeile enabled: true schreiben und das Gateway neu starten:',
      open: 'Auf anderen Geräten öffnen Sie:',
      trust:
        'Browser vertrauen ihm, sobald sie sein Stammzertifikat haben. Scannen Sie den Code mit einem Telefon, oder bringen Sie die Datei auf jedes Gerät:',
      qr: 'QR-Code der Adresse des Stammzertifikats',
      certificate: 'ca.crt herunterladen',
      ofYours: 'Es hat ein Zertifikat von Ihnen, also ist nichts zu verteilen.',
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
    roles: {
      title: 'Eine Rolle an den Schlössern nehmen',
      text: 'Es gibt schon Schlösser. Ihre Türen erscheinen hier, sobald Ihr Konto dort eine Rolle hat: Geben Sie sich eine.',
    },
    simulated: {
      title: 'Oder mit simulierten Schlössern umsehen',
      text: 'Auf der Maschine des Gateways, im Ordner von latchd:',
      source:
        'Sie gehören zum Quelltext, nicht zum Paket. Auf der Maschine des Gateways, in einem Klon davon, mit einem Token von Ihnen in der Datei:',
    },
  },
};
