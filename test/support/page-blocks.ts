// What a page tells people to type or to write into a file: its indented blocks.

/** The blocks below a heading, up to the next heading, without their indentation. Throws when there is no such heading. */
export function blocksOf(page: string, heading: string): readonly string[] {
  const lines = page.split('\n');
  const start = lines.indexOf(heading);
  if (start === -1) throw new Error(`the page has no heading "${heading}"`);
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('#'));
  const section = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n');
  return [...section.matchAll(/(?:^|\n\n)((?: {4}.*\n?|\n(?= {4}))+)/g)].map(
    ([, block = '']) => `${block.replaceAll(/^ {4}/gm, '').trim()}\n`,
  );
}

/** The only block below a heading that says this. */
export function blockWith(page: string, heading: string, words: string): string {
  const found = blocksOf(page, heading).filter((block) => block.includes(words));
  if (found.length !== 1) throw new Error(`below "${heading}" ${found.length} blocks say "${words}"`);
  return found[0] as string;
}

/** The text with each place replaced, such as an address by that of the test. Throws for one that is not there. */
export function placed(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((changed, [place, instead]) => {
    if (!changed.includes(place)) throw new Error(`the text does not say "${place}"`);
    return changed.replaceAll(place, instead);
  }, text);
}
