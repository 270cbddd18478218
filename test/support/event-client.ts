// A client of live events: reads text/event-stream as HTML 9.2.6 says, and remembers the last id.
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type RequestOptions, request as requestOverTls } from 'node:https';
import { until } from './site.ts';

export interface HeardEvent {
  readonly type: string;
  /** As it was when the event came. */
  readonly lastId: string;
  readonly data: { readonly [member: string]: unknown };
}

export interface EventClient {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All so far. */
  readonly events: readonly HeardEvent[];
  of(type: string): readonly HeardEvent['data'][];
  lastId(): string;
  comments(): number;
  isOver(): boolean;
  /** Resolves once there is an event of that type that is as said. */
  whenHeard(type: string, is?: (data: HeardEvent['data']) => boolean): Promise<HeardEvent['data']>;
  whenOver(): Promise<void>;
  /** From now on nothing is read; what comes waits in the connection. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Resolves with the head of the answer. `way`: how to get to `origin`, when it is no address of its own. */
export async function listenTo(
  origin: string,
  { token, cookie, lastId }: { readonly token?: string; readonly cookie?: string; readonly lastId?: string },
  way: RequestOptions = {},
): Promise<EventClient> {
  const events: HeardEvent[] = [];
  let id = lastId ?? '';
  let comments = 0;
  let isOver = false;
  let rest = '';
  const headers = {
    accept: 'text/event-stream',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(cookie !== undefined && { cookie }),
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  };
  const ask = origin.startsWith('https:') ? requestOverTls : request;
  const asked: ClientRequest = ask(`${origin}/api/v1/events`, { ...way, headers, agent: false });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject).end();
  });
  asked.on('error', () => undefined);
  response.on('error', () => undefined);
  response.on('close', () => {
    isOver = true;
  });
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() as string;
    for (const block of blocks) take(block);
  });

  function take(block: string): void {
    let type = 'message';
    let data = '';
    for (const line of block.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
      if (field === '') comments += 1;
      else if (field === 'id') id = value;
      else if (field === 'event') type = value;
      else if (field === 'data') data += value;
    }
    if (data !== '') events.push({ type, lastId: id, data: JSON.parse(data) });
  }

  const client: EventClient = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    of: (type) => events.filter((event) => event.type === type).map(({ data }) => data),
    lastId: () => id,
    comments: () => comments,
    isOver: () => isOver,
    async whenHeard(type, is = () => true) {
      await until(() => client.of(type).some(is) || isOver, `the event ${type} comes`);
      const found = client.of(type).find(is);
      if (found === undefined) throw new Error(`the stream ended without the event ${type}`);
      return found;
    },
    whenOver: () => until(() => isOver, 'the stream ends'),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void response.destroy(),
  };
  return client;
}
