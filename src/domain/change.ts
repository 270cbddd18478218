// A change of something that is stored.

/** It was added (`before` is undefined), changed or removed (`after` is undefined). */
export interface Change<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}
