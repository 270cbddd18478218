// The filters of one program: exact topics, and a few with `+` for a level. To match a topic costs the same however many there are.

export interface TopicTable {
  add(filters: readonly string[]): void;
  remove(filters: readonly string[]): void;
  clear(): void;
  hasFilter(filter: string): boolean;
  matches(topic: string): boolean;
}

export function createTopicTable(): TopicTable {
  const exact = new Set<string>();
  /** With `+`; a program has a handful. */
  const wild = new Map<string, readonly string[]>();
  return {
    add(filters) {
      for (const filter of filters) {
        if (filter.includes('+')) wild.set(filter, filter.split('/'));
        else exact.add(filter);
      }
    },
    remove(filters) {
      for (const filter of filters) {
        exact.delete(filter);
        wild.delete(filter);
      }
    },
    clear() {
      exact.clear();
      wild.clear();
    },
    hasFilter: (filter) => exact.has(filter) || wild.has(filter),
    matches(topic) {
      if (exact.has(topic)) return true;
      if (wild.size === 0) return false;
      const levels = topic.split('/');
      const fits = (filter: readonly string[]) =>
        filter.length === levels.length && filter.every((level, n) => level === '+' || level === levels[n]);
      return [...wild.values()].some(fits);
    },
  };
}
