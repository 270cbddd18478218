// The texts about the upkeep of the gateway, in English. `upkeep-de.ts` has the same texts in German; it does not compile if one is missing.

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
    open: (name: string) => `To open it: age --decrypt --output ${name} ${name}.age`,
  },
  warnings: {
    title: 'Warnings of the last 24 hours',
    none: 'Nothing has gone wrong since the gateway was started, or for 24 hours.',
    what: 'What',
    times: 'Times',
    last: 'Last',
    levels: { warn: 'warning', error: 'error', fatal: 'end of the gateway' },
  },
  firstRun: {
    title: 'Set this gateway up',
    intro: 'There are no locks here on which you have a role. What is done is ticked by itself.',
    done: 'done',
    open: 'to do',
    reach: {
      title: 'Let people reach it over https',
      text: 'Passwords and cookies then travel encrypted. In the configuration, below https, write enabled: true, and restart the gateway.',
      restart: 'sudo systemctl restart latchd',
      trust: 'Browsers trust it once they have its root certificate:',
      certificate: 'Download ca.crt',
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
    simulated: {
      title: 'Or look around with simulated locks',
      text: 'In the folder of latchd, on this machine:',
      command: 'npm run sim -- --locks 3',
    },
  },
};

export type UpkeepTexts = typeof upkeepEn;
