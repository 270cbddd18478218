// The shape of everything that lives as long as the process, and of the log it writes to.

/**
 * Making a part does no I/O. `start` resolves when it truly serves; `stop` is idempotent and bounded, and may be
 * called after a failed start. Every timer, socket and file a part opened dies with it.
 */
export interface Part {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Structured log lines for adapters (the domain does not log): fields first, then a sentence for people. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** The process is about to end because of this. */
  fatal(fields: object, message: string): void;
}
