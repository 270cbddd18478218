// How a store hears of what another node has changed, where several nodes share a database. What was changed is decoded first, all of it; then it
// is put into effect in one go, so that no reader sees one part without the other.

/** What another node has made of what is under a name. */
export interface ForeignContent {
  /** As the first line of a file of rows; null: it is a document, whose text has the key "". */
  readonly header: { readonly of: string; readonly schemaVersion: number; readonly top?: number } | null;
  /** The rows are all that are there; else those that were changed. */
  readonly isWhole: boolean;
  /** null: there is none under this key any more. */
  readonly rows: readonly (readonly [key: string, body: string | null])[];
}

/** What follows the changes of other nodes. */
export interface Followed {
  /** Decodes the content; what it returns lets readers see it. Throws as a load rejects. */
  changed(content: ForeignContent): () => void;
}

/** Follows all names of a folder. */
export interface FollowedFolder {
  /** What a changed name is to be given to, also when it is a new one; undefined: nobody needs it. */
  at(name: string): Followed | undefined;
  gone(name: string): void;
}
