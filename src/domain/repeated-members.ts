// What is wrong with a JSON object although it is well-formed: a member that stands twice, so that two readers may see two different values.

/** Names that appear twice within one object, which JSON.parse would quietly merge. `source` is well-formed JSON. */
export function repeatedMembers(source: string): ReadonlySet<string> {
  const repeated = new Set<string>();
  const open: Set<string>[] = [];
  for (const [token, string, colon] of source.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(string as string) as string;
      const names = open.at(-1);
      if (names?.has(name)) repeated.add(name.slice(0, 64));
      names?.add(name);
    }
  }
  return repeated;
}
