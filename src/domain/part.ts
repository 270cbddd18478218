// The shape of everything that lives as long as the process, and of the log it writes to.

/**
 * Creating a part does no I/O. `start` resolves when the part truly serves; `stop` is idempotent and takes a bounded time,
 * and may be called after a failed start. It ends every timer, socket and file that the part has opened.
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

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use by another program; `latchd doctor` says by which',
  EACCES: 'this user may not use that port',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no host of that name',
};

/** Why a part cannot listen, as a sentence for the operator. `what` is the name of the protocol. */
export function cannotListen(what: string, host: string, port: number, error: Error & { readonly code?: string | undefined }): Error {
  return new Error(`${what} cannot listen on ${host}:${port}: ${listenFailures[error.code ?? ''] ?? error.message}`, { cause: error });
}
