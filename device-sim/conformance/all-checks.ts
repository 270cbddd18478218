// The table of rules, in the order in which they are tried. What is looked at in the whole run comes last.
import type { Check } from './check.ts';
import { cardChecks } from './checks/cards.ts';
import { commandChecks } from './checks/commands.ts';
import { connectionChecks } from './checks/connection.ts';
import { credentialChecks } from './checks/credentials.ts';
import { doorChecks } from './checks/door.ts';
import { eventChecks } from './checks/events.ts';
import { lateAndTwiceChecks } from './checks/late-and-twice.ts';
import { observedConnectionChecks } from './checks/observed-connection.ts';
import { observedEventChecks } from './checks/observed-events.ts';
import { observedReportChecks } from './checks/observed-reports.ts';
import { powerChecks } from './checks/power.ts';
import { settingChecks } from './checks/settings.ts';

const observedChecks = [...observedConnectionChecks, ...observedReportChecks, ...observedEventChecks];

export const allChecks: readonly Check[] = [
  ...commandChecks,
  ...settingChecks,
  ...lateAndTwiceChecks,
  ...eventChecks,
  ...cardChecks,
  ...credentialChecks,
  ...doorChecks,
  ...powerChecks,
  ...connectionChecks,
  ...observedChecks.map((check) => ({ ...check, looksBack: true as const })),
];

/** Those with one of these names, or of a place that begins with one of them, such as `5.3`; throws a sentence when one names none. */
export function chosenChecks(words: readonly string[]): readonly Check[] {
  const isMeant = ({ name, rule }: Check, word: string): boolean => {
    const place = rule.replace('Protocol ', '');
    return name === word || place === word || place.startsWith(`${word} `) || place.startsWith(`${word}.`);
  };
  const strange = words.find((word) => !allChecks.some((check) => isMeant(check, word)));
  if (strange !== undefined) throw new Error(`--only: there is no check and no rule ${strange}`);
  return words.length === 0 ? allChecks : allChecks.filter((check) => words.some((word) => isMeant(check, word)));
}
