// The few values that the console stores in the browser: language, appearance, and whether to check for an earlier sign-in. A browser may
// forbid it; then each visit starts with the defaults.

export function storedValue(name: string): string | undefined {
  try {
    return localStorage.getItem(`latchd.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value; undefined deletes it. */
export function storeValue(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`latchd.${name}`);
    else localStorage.setItem(`latchd.${name}`, value);
  } catch {
    // The browser forbids it.
  }
}
