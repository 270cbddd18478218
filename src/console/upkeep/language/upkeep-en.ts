// The texts about the upkeep of the gateway, in English. `upkeep-de.ts` has the same texts in German; it does not compile if one is missing.
import { warningsEn } from './warnings-en.ts';

export const upkeepEn = {
  backups: {
    title: 'Backups',
    intro: 'There is one each night. A download is encrypted, because a backup has the keys of the gateway.',
    make: 'Make a backup now',
    making: (size: string) => `A backup is being made: ${size} so far.`,
    done: (name: string) => `${name} is ready.`,
    failed: (why: string) => `The backup failed: ${why}`,
    name: 'File',
    date: 'Made',
    size: 'Size',
    beforeUpgrade: 'before an upgrade',
    none: 'There is no backup yet.',
    download: 'Download',
    downloadOf: (name: string) => `Download ${name}`,
    passphrase: 'Passphrase',
    passphraseHint: '12 characters or more. Write it down elsewhere: without it nobody can open the file.',
    again: 'The passphrase once more',
    differ: 'These two are not the same.',
    open: 'The command that opens it',
  },
  warnings: {
    title: 'Warnings of the last 24 hours',
    none: 'Nothing has gone wrong since the gateway was started, or for 24 hours.',
    what: 'What',
    sentences: warningsEn as Readonly<Record<string, string>>,
    alarm: (kind: string) => `An alarm began: ${kind}.`,
    unknown: 'Something that has no sentence here: the line of the log says what.',
    lock: (lockId: number) => `Lock ${lockId}`,
    line: 'Line of the log',
    times: 'Times',
    last: 'Last',
    levels: { warn: 'warning', error: 'error', fatal: 'end of the gateway' },
  },
  update: {
    title: 'Updates',
    available: (version: string) =>
      `latchd ${version} is in the repository. Install it on the gateway’s machine; doors are without the gateway for about a second:`,
    command: 'The command that installs it',
    newest: (date: string) => `This is the newest version that apt found when it last looked: ${date}.`,
    off: 'Nobody looks for newer versions: in the configuration, updates.check is false.',
    reasons: {
      'not-asked': 'Nobody knows yet whether there is a newer version: apt has not answered.',
      'no-apt': 'Nobody here knows whether there is a newer version: this machine has no apt. Look where you got this one.',
      'not-installed': 'Nobody here knows whether there is a newer version: apt did not install this one. Look where you got it.',
      'other-version': 'apt has installed another version than the one that runs. Restart the gateway.',
      'no-repository': 'This version was installed from a file. Newer ones do not come by themselves.',
      failed:
        'Nobody knows whether there is a newer version: apt gives no answer. On the gateway’s machine, latchd doctor says what to do.',
    },
  },
  certificate: { title: 'Root certificate' },
  firstRun: {
    title: 'Set this gateway up',
    intro: 'There are no locks here on which you have a role. What is done is ticked by itself.',
    done: 'done',
    open: 'to do',
    name: {
      title: 'Give it a name',
      found: (names: string) => `On the network others find it as ${names}.`,
      none: 'Nobody finds it by a name yet: discovery by mDNS is off.',
      more: 'If people are to call it something else, such as doors.example.org, write that into tlsNames in the configuration, and restart the gateway:',
    },
    restart: {
      service: 'sudo systemctl restart latchd',
      byHand: 'Ctrl-C, where it runs, and the same command again',
    },
    reach: {
      title: 'Let people reach it over https',
      now: (addresses: string) => `At the moment it is served at ${addresses}.`,
      text: 'Over https passwords and cookies travel encrypted. In the configuration, below https, write enabled: true, and restart the gateway:',
      open: 'On other devices, open:',
      trust: 'Browsers trust it once they have its root certificate. Scan the code with a phone, or carry the file to each device:',
      qr: 'QR code of the address of the root certificate',
      certificate: 'Download ca.crt',
      ofYours: 'It has a certificate of yours, so there is nothing to hand out.',
    },
    accounts: {
      title: 'Make accounts for people',
      text: 'Each person gets an account and an invitation, as a link or a QR code, and chooses a password.',
      link: 'To the accounts',
    },
    locks: {
      title: 'Bring in the first lock',
      text: 'A lock that makes its own key is found by pairing; any other is registered with its number.',
      pairing: 'Pair a lock',
      register: 'Register a lock',
    },
    roles: {
      title: 'Take a role on the locks',
      text: 'There are locks already. Their doors appear here once your account has a role on them: give yourself one.',
    },
    simulated: {
      title: 'Or look around with simulated locks',
      text: 'On the machine of the gateway, in the folder of latchd:',
      source:
        'They come with the source code, not with the package. On the machine of the gateway, in a clone of it, with a token of yours in the file:',
    },
  },
};

export type UpkeepTexts = typeof upkeepEn;
