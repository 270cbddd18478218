// The properties that every page gets.

export interface PageProps {
  /** The values in the address by their names in `path`. */
  readonly parameters: Readonly<Record<string, string>>;
}
