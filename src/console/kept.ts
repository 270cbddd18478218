// The little that the console keeps in the browser: language, appearance, and whether there is a sign-in to ask for. A browser may forbid it; then
// each visit begins anew.

export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(`latchd.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** undefined: it is forgotten. */
export function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`latchd.${name}`);
    else localStorage.setItem(`latchd.${name}`, value);
  } catch {
    // As above.
  }
}
