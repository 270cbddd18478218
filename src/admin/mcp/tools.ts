// The tools that a client of the Model Context Protocol may call, and the request of the HTTP API behind each.
import { z } from 'zod';
import { type GatewayAnswer, type GatewayApi, GatewayProblem } from './gateway-api.ts';
import { RpcError, readParams } from './json-rpc.ts';

type Body = GatewayAnswer['body'];

interface Tool {
  readonly name: string;
  readonly description: string;
  /** Closed: what is not in it is refused. */
  readonly input: z.ZodType;
  /** It moves a bolt: it is there only where that is allowed. */
  readonly isMove?: true;
  run(api: GatewayApi, input: never, signal: AbortSignal): Promise<Body>;
}

/** A call that may have waited for longer moves no door: whoever asked has stopped waiting for it. */
const mostWaitMs = 2_000;
/** The most that the API gives in one page. */
const longestPage = 1_000;

const lockId = z.int().positive().describe('from list_locks');
const oneLock = z.strictObject({ lockId });
const pageNo = z.int().positive().optional().describe('1 unless given; the answer says how many pages there are');
const dateSays = 'epoch milliseconds, or ISO 8601 with its zone such as 2026-11-20T22:30:00Z';
const date = z
  .union([z.int().nonnegative(), z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/, `must be ${dateSays}`)])
  .refine((given) => typeof given === 'number' || Date.parse(given) >= 0, 'there is no such date')
  .transform((given) => (typeof given === 'number' ? given : Date.parse(given)))
  .describe(dateSays);

function tool<Input>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: z.ZodType<Input>;
    run(api: GatewayApi, input: Input, signal: AbortSignal): Promise<Body>;
  },
): Tool {
  return definition;
}

const allTools: readonly Tool[] = [
  tool({
    name: 'list_locks',
    description: 'The locks of this building that the account may see: names, batteries (percent, -1 unknown), groups.',
    input: z.strictObject({}),
    run: (api, _input, signal) => wholeList(api, '/api/v1/lock/list', {}, signal),
  }),
  tool({
    name: 'lock_state',
    description:
      'Whether a lock is locked or unlocked, as it last said (saidAt), whether it is online now, and whether the state is sure. While sure is false it may be otherwise.',
    input: oneLock,
    async run(api, input, signal) {
      const { body, headers } = await api.ask('GET', '/api/v1/lock/state', input, signal);
      const saidAt = Date.parse(headers.get('last-modified') ?? '');
      // The API says these in headers, which no client of this protocol sees.
      return {
        ...body,
        online: headers.get('latchd-lock-online') === 'true',
        sure: headers.get('latchd-state-sure') === 'true',
        saidAt: Number.isNaN(saidAt) ? null : new Date(saidAt).toISOString(),
      };
    },
  }),
  tool({
    name: 'records',
    description: 'What happened at a lock, the newest first: who opened it and how, and what was refused. Dates are epoch milliseconds.',
    input: z.strictObject({ lockId, startDate: date.optional(), endDate: date.optional(), pageNo }),
    async run(api, { pageNo: page = 1, ...range }, signal) {
      const { body } = await api.ask('GET', '/api/v1/lock/records', { ...range, pageNo: page, pageSize: 100 }, signal);
      return body;
    },
  }),
  tool({
    name: 'alarms',
    description: 'What somebody should look at: the active alarms of locks and of the gateway, the newest first.',
    input: z.strictObject({}),
    run: (api, _input, signal) => wholeList(api, '/api/v1/gateway/alarms', {}, signal),
  }),
  tool({
    name: 'who_could',
    description:
      'Who could open a lock at a date, by which card, passcode or role, and whether that is certain. Now unless a date is given.',
    input: z.strictObject({ lockId, at: date.optional() }),
    run: (api, { lockId: lock, at = Date.now() }, signal) => wholeList(api, '/api/v1/access/who', { lockId: lock, date: at }, signal),
  }),
  ...(['lock', 'unlock'] as const).map((move) =>
    tool({
      name: move,
      description: `${move === 'lock' ? 'Locks' : 'Unlocks'} a door now, and answers what its lock said. Ask the person first.`,
      input: oneLock,
      isMove: true,
      async run(api, input, signal) {
        const { body } = await api.ask('POST', `/api/v1/lock/${move}`, input, signal);
        return body;
      },
    }),
  ),
];

export interface ToolBox {
  /** As `tools/list` shows them. */
  readonly listed: readonly object[];
  /** Asks the gateway. @throws RpcError when there is no such tool or the arguments are wrong: then nothing was sent; GatewayProblem */
  call(name: string, input: unknown, signal: AbortSignal): Promise<Body>;
}

/** `waitedMs`: for how long at most what is read now may have waited, in milliseconds. */
export function createToolBox(api: GatewayApi, allowsUnlock: boolean, waitedMs: () => number): ToolBox {
  const tools = allTools.filter(({ isMove }) => allowsUnlock || isMove === undefined);
  return {
    listed: tools.map(({ name, description, input, isMove = false }) => ({
      name,
      description,
      inputSchema: schemaOf(input),
      annotations: { readOnlyHint: !isMove, destructiveHint: isMove, openWorldHint: false },
    })),
    async call(name, input, signal) {
      const called = tools.find((one) => one.name === name);
      if (called === undefined) {
        const isOff = allTools.some((one) => one.name === name);
        throw new RpcError('params', isOff ? `${name} is switched off here: it needs --allow-unlock` : 'there is no such tool');
      }
      if (called.isMove && waitedMs() > mostWaitMs)
        throw new GatewayProblem('late', 'the call has waited while this process stood still, so nothing was sent: ask again');
      return called.run(api, readParams(called.input, input) as never, signal);
    },
  };
}

function schemaOf(input: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema;
}

/** A list without a page number among the arguments of its tool: all of it, as one page. */
async function wholeList(api: GatewayApi, path: string, query: Readonly<Record<string, number>>, signal: AbortSignal): Promise<Body> {
  const page = (pageNo: number) => api.ask('GET', path, { ...query, pageNo, pageSize: longestPage }, signal);
  const { body: first } = await page(1);
  const list = [...(first['list'] as readonly unknown[])];
  const pages = Number(first['pages']);
  for (let pageNo = 2; pageNo <= pages; pageNo++) list.push(...((await page(pageNo)).body['list'] as readonly unknown[]));
  return pages > 1 ? { ...first, list, pageSize: list.length, pages: 1 } : first;
}
