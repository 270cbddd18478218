// The texts about accounts, in English. `account-de.ts` has the same texts in German; it does not compile if one is missing.

const count = (n: number, one: string, many: string): string => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

export const accountEn = {
  accounts: {
    title: 'Accounts',
    intro: 'Who may use this gateway. What somebody may do at a door is said at that lock.',
    add: 'New account',
    username: 'Username',
    usernameHint: 'Letters, digits and . _ @ -',
    gatewayAdministrator: 'Gateway administrator',
    gatewayAdministratorHint: 'Registers locks and manages accounts. That alone opens no door.',
    accessManager: 'Access manager',
    accessManagerHint: 'Gives people cards, passcodes and grants, for locks of which the account is a manager.',
    change: (username: string) => `Change the rights of ${username}`,
    changeShort: 'Change',
    changed: (username: string) => `The rights of ${username} are changed.`,
    created: 'Created',
    none: 'There are no accounts.',
    added: (username: string) => `${username} has an account now.`,
    remove: (username: string) => `Remove ${username}`,
    removeText: (username: string) => `All tokens and roles of ${username} end at once.`,
    removed: (username: string) => `${username} was removed.`,
  },
  tokens: {
    title: 'Access tokens',
    intro: 'What people and programs sign in with. Each can do what its account may do.',
    add: 'New token',
    name: 'Name',
    nameHint: 'Where it will be used, such as “front desk”',
    account: 'Account',
    created: 'Created',
    expires: 'Expires',
    expired: (date: string) => `expired ${date}`,
    lifetime: 'Valid for',
    lifetimes: (days: number) => (days === 0 ? 'ever' : days % 365 === 0 ? count(days / 365, 'year', 'years') : count(days, 'day', 'days')),
    secret: 'Access token',
    madeText: 'Whoever has this token can do what its account may do.',
    none: 'There are no tokens.',
    revoke: 'Revoke',
    remove: (name: string, username: string) => `Revoke “${name}” of ${username}`,
    removeText: 'It is refused from now on. Whoever is signed in with it is signed out at once.',
    webhooksStay: (username: string, names: string) => `Webhooks of ${username} go on until they are removed: ${names}.`,
    removed: (name: string) => `“${name}” was revoked.`,
  },
};

export type AccountTexts = typeof accountEn;
