// For long commands: a progress line on a terminal, and an orderly end on Ctrl-C.

export interface ProgressLine {
  show(text: string): void;
  /** Removes the line. */
  end(): void;
}

/** One line on standard error that is overwritten; nothing if that is no terminal. */
export function progressLine(): ProgressLine {
  const terminal = process.stderr.isTTY ? process.stderr : undefined;
  let shown = '';
  return {
    show(text) {
      if (text !== shown) terminal?.write(`\r${text.padEnd(shown.length)}`);
      shown = text;
    },
    end() {
      if (shown !== '') terminal?.write(`\r${' '.repeat(shown.length)}\r`);
      shown = '';
    },
  };
}

/** SIGINT and SIGTERM abort `run`, which cleans up; without it they end the process at once. */
export async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const abort = () => interrupted.abort();
  process.once('SIGINT', abort).once('SIGTERM', abort);
  try {
    return await run(interrupted.signal);
  } finally {
    process.off('SIGINT', abort).off('SIGTERM', abort);
  }
}
