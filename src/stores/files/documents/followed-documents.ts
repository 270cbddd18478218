// A folder with one document for each id, of which other nodes change some.
import type { FollowedFolder } from '../followed.ts';
import type { Document } from './document.ts';

/** A document that is `made` enters by itself when it has its first value; `leave` takes it out of all views. */
export function createFollowedDocuments<Id, T>(options: {
  readonly idIn: (name: string) => Id | undefined;
  readonly get: (id: Id) => Document<T> | undefined;
  readonly make: (id: Id) => Document<T>;
  readonly leave: (document: Document<T>) => void;
}): FollowedFolder {
  const { idIn, get, make, leave } = options;
  return {
    at(name) {
      const id = idIn(name);
      return id === undefined ? undefined : (get(id) ?? make(id));
    },
    gone(name) {
      const id = idIn(name);
      const document = id === undefined ? undefined : get(id);
      if (document !== undefined) leave(document);
    },
  };
}
