// Parses text/event-stream from chunks that end anywhere (HTML Living Standard 9.2.6, as far as our gateway writes it: `\n` alone,
// one line of data for each event).

export interface StreamEvent {
  /** Empty when only the id is new. */
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Takes each chunk of text and returns the events that it completes. */
export function createEventReader(): (piece: string) => StreamEvent[] {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.map((block) => {
      const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
      return { type: fields.get('event') ?? '', data: fields.get('data') ?? '', id: fields.get('id') };
    });
  };
}
