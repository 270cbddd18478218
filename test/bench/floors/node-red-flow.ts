// The flow a person would draw: http in, a function that makes the command, mqtt out; mqtt in, a function that finds the
// waiting request, http response.

const tab = 'flow';

export function nodeRedFlow(port: number, qos: 0 | 1): object[] {
  return [
    { id: tab, type: 'tab', label: 'doors' },
    {
      id: 'broker',
      type: 'mqtt-broker',
      broker: '127.0.0.1',
      port: String(port),
      protocolVersion: '4',
      cleansession: true,
      keepalive: '60',
    },
    { id: 'in', z: tab, type: 'http in', url: '/api/v1/lock/:op', method: 'post', wires: [['make']] },
    { id: 'make', z: tab, type: 'function', outputs: 1, func: makeCommand, wires: [['out']] },
    { id: 'out', z: tab, type: 'mqtt out', topic: '', qos: String(qos), retain: 'false', broker: 'broker', wires: [] },
    {
      id: 'replies',
      z: tab,
      type: 'mqtt in',
      topic: 'latchd/v1/+/reply',
      qos: String(qos),
      datatype: 'json',
      broker: 'broker',
      wires: [['find']],
    },
    { id: 'find', z: tab, type: 'function', outputs: 1, func: findRequest, wires: [['answer']] },
    { id: 'answer', z: tab, type: 'http response', statusCode: '200', wires: [] },
  ];
}

const makeCommand = `
const id = msg._msgid;
const waiting = flow.get('waiting') || {};
waiting[id] = { req: msg.req, res: msg.res };
flow.set('waiting', waiting);
const deviceId = 'b' + Number(msg.req.query.lockId).toString(16).padStart(11, '0');
return {
  topic: 'latchd/v1/' + deviceId + '/command',
  payload: JSON.stringify({ id, session: 'bench-session', op: msg.req.params.op, args: {}, expires: Number.MAX_SAFE_INTEGER, ttl: 10000 }),
};`;

const findRequest = `
const waiting = flow.get('waiting') || {};
const found = waiting[msg.payload.id];
if (!found) return null;
delete waiting[msg.payload.id];
return { ...found, payload: { success: msg.payload.ok } };`;
