// latchd person: the people of the building. Only the running daemon knows how far the locks are.
import { command, type Group } from './command.ts';
import { askForAll, inWords, manageRunning } from './management.ts';
import { dateText, jsonOption, print, printTable, say } from './output.ts';
import { positiveInteger } from './values.ts';

const peopleRoute = '/api/v1/access/people';
const words = { listed: 'person list' };
const personArgument = { name: 'personId', says: 'see "latchd person list"', read: positiveInteger };

interface Given {
  readonly json?: true;
  readonly personId: number;
}

interface PersonRow {
  readonly personId: number;
  readonly name: string;
  readonly externalId: string | null;
  readonly suspended: boolean;
  readonly removed: boolean;
  readonly credentials: number;
  readonly grants: number;
  readonly createDate: number;
}

interface PersonView extends Omit<PersonRow, 'credentials' | 'grants'> {
  readonly credentials: readonly {
    readonly credentialId: number;
    readonly kind: string;
    readonly cardNumber: string | null;
    readonly name: string;
    readonly lost: object | null;
  }[];
  readonly grants: readonly {
    readonly grantId: number;
    readonly lockIds: readonly number[];
    readonly groupIds: readonly number[];
    readonly endDate: number;
  }[];
}

function stateOf({ suspended, removed }: Pick<PersonRow, 'suspended' | 'removed'>): string {
  if (removed) return 'removed, on its way off the locks';
  return suspended ? 'suspended' : '';
}

const list = command<{ readonly json?: true; readonly search?: string }>({
  name: 'list',
  says: 'show the people who have cards, passcodes and grants',
  settings: 'directory',
  options: [{ flag: '--search', value: '<text>', says: 'a part of the name or externalId, or a card number' }, jsonOption],
  examples: [['person list --search 1325672378', 'whose card is this?']],
  async run({ search, json }, { configured }) {
    const parameters = search === undefined ? {} : { search };
    const people = await manageRunning(configured(), (ask) => askForAll<PersonRow>(ask, `GET ${peopleRoute}`, parameters));
    if (json) print(JSON.stringify(people));
    else if (people.length === 0) say('there is nobody');
    else {
      printTable(people, {
        person: ({ personId }) => personId,
        name: ({ name }) => name,
        'external id': ({ externalId }) => externalId ?? '',
        credentials: ({ credentials }) => credentials,
        grants: ({ grants }) => grants,
        state: stateOf,
      });
    }
    return 0;
  },
});

const show = command<Given>({
  name: 'show',
  says: 'show the credentials and grants of a person',
  settings: 'directory',
  arguments: [personArgument],
  options: [jsonOption],
  examples: [['person show 5 --json', 'all of it']],
  async run({ personId, json }, { configured }) {
    const parameters = { personId: String(personId) };
    const person = await inWords(
      words,
      manageRunning(configured(), (ask) => ask<PersonView>(`GET ${peopleRoute}/{personId}`, { parameters })),
    );
    if (json) {
      print(JSON.stringify(person));
      return 0;
    }
    say(`${person.name}${person.externalId === null ? '' : ` (${person.externalId})`} ${stateOf(person)}`.trimEnd());
    printTable(person.credentials, {
      credential: ({ credentialId }) => credentialId,
      kind: ({ kind }) => kind,
      number: ({ cardNumber }) => cardNumber ?? '****',
      name: ({ name }) => name,
      state: ({ lost }) => (lost === null ? '' : 'lost'),
    });
    printTable(person.grants, {
      grant: ({ grantId }) => grantId,
      locks: ({ lockIds }) => lockIds.join(' '),
      groups: ({ groupIds }) => groupIds.join(' '),
      until: ({ endDate }) => (endDate === 0 ? '' : dateText(endDate)),
    });
    return 0;
  },
});

const suspend = command<Given>({
  name: 'suspend',
  says: 'take everything of a person off all locks, until somebody ends that over the API or in the console',
  settings: 'directory',
  arguments: [personArgument],
  options: [jsonOption],
  examples: [['person suspend 5', 'locks that are away follow when they are back']],
  async run({ personId, json }, { configured }) {
    const request = { parameters: { personId: String(personId) }, body: { suspended: true } };
    const answer = await inWords(
      words,
      manageRunning(configured(), (ask) => ask(`PUT ${peopleRoute}/{personId}`, request)),
    );
    say(`person ${personId} is suspended`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

const remove = command<Given>({
  name: 'remove',
  says: 'end a person: nothing of theirs is wanted on any lock any more',
  settings: 'directory',
  arguments: [personArgument],
  options: [jsonOption],
  examples: [['person remove 5', 'shown as removed until every lock has confirmed it']],
  async run({ personId, json }, { configured }) {
    const parameters = { personId: String(personId) };
    const answer = await inWords(
      words,
      manageRunning(configured(), (ask) => ask(`DELETE ${peopleRoute}/{personId}`, { parameters })),
    );
    say(`person ${personId} has ended; locks that are away follow when they are back`);
    if (json) print(JSON.stringify(answer));
    return 0;
  },
});

export const people: Group = {
  name: 'person',
  says: 'show the people who have cards and grants, suspend them, end them',
  commands: [list, show, suspend, remove],
};
