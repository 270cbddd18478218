// Starts the real Zigbee2MQTT in this process, on a radio that is not there: its locks are objects, and a test says over IPC how they
// behave. `node radio.cjs <folder in which Zigbee2MQTT is installed>`, with ZIGBEE2MQTT_DATA as Zigbee2MQTT itself reads it.
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');

const installed = createRequire(join(process.argv[2], 'package.json'));
const program = dirname(installed.resolve('zigbee2mqtt/package.json'));
const inProgram = createRequire(join(program, 'package.json'));
const herdsman = dirname(inProgram.resolve('zigbee-herdsman/package.json'));
const { Adapter } = require(join(herdsman, 'dist/adapter/adapter.js'));
const Zcl = require(join(herdsman, 'dist/zspec/zcl/index.js'));

const coordinator = '0x00124b0012345678';
/** Keypad, radio, by hand, card: the sources of an operation event. */
const sources = { keypad: 0, rf: 1, manual: 2, rfid: 3 };

/** The locks by network address; made when first spoken to or of. */
const locks = new Map();
let counter = 1;

function nextNumber() {
  counter = (counter + 1) % 256;
  return counter;
}

function lockAt(address) {
  if (!locks.has(address)) {
    // behaviour: ok; refused (answers with a failure); away (out of reach); silent (says yes, and its bolt stays where it is); hanging (the
    // radio has it on its way, and it never arrives).
    locks.set(address, { address, bolt: 'locked', behaviour: 'ok', tellsSource: true, codes: new Map() });
  }
  return locks.get(address);
}

function tell(message) {
  process.send?.(message);
}

class FakeRadio extends Adapter {
  start() {
    return Promise.resolve('resumed');
  }
  stop() {
    return Promise.resolve();
  }
  getCoordinatorIEEE() {
    return Promise.resolve(coordinator);
  }
  getCoordinatorVersion() {
    return Promise.resolve({ type: 'fake', meta: { revision: '1' } });
  }
  supportsBackup() {
    return Promise.resolve(false);
  }
  getNetworkParameters() {
    return Promise.resolve({ panID: 0x1a62, extendedPanID: '0xdddddddddddddddd', channel: 11, nwkUpdateID: 0 });
  }
  permitJoin() {
    return Promise.resolve();
  }
  sendZdo(_ieeeAddress, _address, _clusterId, _payload, disableResponse) {
    return Promise.resolve(disableResponse ? undefined : [0, {}]);
  }
  sendZclFrameToGroup() {
    return Promise.resolve();
  }
  sendZclFrameToAll() {
    return Promise.resolve();
  }
  waitFor() {
    return { promise: new Promise(() => {}), cancel() {} };
  }
  async sendZclFrameToEndpoint(_ieeeAddress, address, endpoint, frame, _timeout, disableResponse) {
    const lock = lockAt(address);
    const { name } = frame.command;
    if (frame.header.isSpecific)
      tell({ sent: name, address, payload: plain(frame.payload), reached: !['away', 'hanging'].includes(lock.behaviour) });
    if (lock.behaviour === 'away') throw new Error(`Delivery failed for '12136'.`);
    if (lock.behaviour === 'hanging') return new Promise(() => {});
    const answer = frame.header.isGlobal ? globalAnswer(lock, frame) : lockAnswer(lock, frame);
    if (answer === undefined) return undefined;
    const { isGlobal } = frame.header;
    const payload = heard(lock, endpoint, frame.cluster.name, answer, isGlobal, frame.header.transactionSequenceNumber);
    // Zigbee2MQTT publishes what it hears, and a driver of a real radio emits every answer, too.
    setImmediate(() => this.emit('zclPayload', payload));
    return disableResponse ? undefined : payload;
  }
}

/** A frame from a lock, as a radio hands it over. */
function heard(lock, endpoint, cluster, { command, payload, toClient = true }, isGlobal, number = nextNumber()) {
  const type = isGlobal ? Zcl.FrameType.GLOBAL : Zcl.FrameType.SPECIFIC;
  const direction = toClient ? Zcl.Direction.SERVER_TO_CLIENT : Zcl.Direction.CLIENT_TO_SERVER;
  const frame = Zcl.Frame.create(type, direction, true, undefined, number, command, cluster, payload, {});
  const data = frame.toBuffer();
  return {
    ...{ clusterID: frame.cluster.ID, header: Zcl.Header.fromBuffer(data), data, address: lock.address, endpoint },
    ...{ linkquality: 120, groupID: 0, wasBroadcast: false, destinationEndpoint: 1 },
  };
}

function globalAnswer(lock, frame) {
  const { name } = frame.command;
  if (name === 'configReport') return { command: 'configReportRsp', payload: [{ status: 0 }] };
  if (name === 'read')
    return { command: 'readRsp', payload: frame.payload.map(({ attrId }) => attribute(lock, frame.cluster.name, attrId)) };
  if (name === 'write') return { command: 'writeRsp', payload: [{ status: 0 }] };
  return undefined;
}

function attribute(lock, cluster, attrId) {
  if (cluster === 'closuresDoorLock' && attrId === 0)
    return { attrId, status: 0, dataType: Zcl.DataType.ENUM8, attrData: lock.bolt === 'locked' ? 1 : 2 };
  if (cluster === 'genPowerCfg' && attrId === 0x21) return { attrId, status: 0, dataType: Zcl.DataType.UINT8, attrData: 184 };
  return { attrId, status: Zcl.Status.UNSUPPORTED_ATTRIBUTE };
}

function lockAnswer(lock, frame) {
  const { name } = frame.command;
  const status = lock.behaviour === 'refused' ? 1 : 0;
  if (name === 'lockDoor' || name === 'unlockDoor') {
    if (status === 0 && lock.behaviour !== 'silent') move(lock, name === 'lockDoor' ? 'locked' : 'unlocked', 'rf', 0xffff);
    return { command: `${name}Rsp`, payload: { status } };
  }
  const { userid } = frame.payload;
  if (name === 'setPinCode') {
    if (status === 0)
      lock.codes.set(userid, { status: frame.payload.userstatus, code: Buffer.from(frame.payload.pincodevalue).toString() });
    return { command: 'setPinCodeRsp', payload: { status } };
  }
  if (name === 'clearPinCode') {
    if (status === 0) lock.codes.delete(userid);
    return { command: 'clearPinCodeRsp', payload: { status } };
  }
  if (name === 'getPinCode') {
    const { status: userstatus, code } = lock.codes.get(userid) ?? { status: 0, code: '' };
    return { command: 'getPinCodeRsp', payload: { userid, userstatus, usertype: 0, pincodevalue: Buffer.from(code) } };
  }
  return undefined;
}

/** The bolt moves: the lock says who did it, where it does, and then where the bolt is. */
function move(lock, bolt, source, userid) {
  lock.bolt = bolt;
  tell({ bolt, address: lock.address });
  setTimeout(() => {
    if (lock.tellsSource) {
      const payload = {
        opereventsrc: sources[source],
        opereventcode: bolt === 'locked' ? 1 : 2,
        userid,
        pin: Buffer.alloc(0),
        zigbeelocaltime: 0,
        data: '',
      };
      emit(lock, 'closuresDoorLock', { command: 'operationEventNotification', payload }, false);
    }
    report(lock);
  }, 20);
}

function report(lock) {
  const payload = [{ attrId: 0, dataType: Zcl.DataType.ENUM8, attrData: lock.bolt === 'locked' ? 1 : 2 }];
  emit(lock, 'closuresDoorLock', { command: 'report', payload }, true);
}

function emit(lock, cluster, message, isGlobal) {
  radio?.emit('zclPayload', heard(lock, 1, cluster, message, isGlobal));
}

function plain(payload) {
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, Buffer.isBuffer(value) ? value.toString() : value]));
}

let radio;
Adapter.create = (...options) => {
  radio = new FakeRadio(...options);
  return Promise.resolve(radio);
};

/** What a test says: how a lock behaves from now on, or what happens at its door. */
process.on('message', ({ address, behaviour, tellsSource, turn, code, checkin, done }) => {
  const lock = lockAt(address);
  if (behaviour !== undefined) lock.behaviour = behaviour;
  if (tellsSource !== undefined) lock.tellsSource = tellsSource;
  if (turn !== undefined) move(lock, turn, 'manual', 0);
  if (code !== undefined) move(lock, 'unlocked', 'keypad', code);
  if (checkin) emit(lock, 'genPollCtrl', { command: 'checkin', payload: {} }, false);
  tell({ done });
});
// The test has gone.
process.on('disconnect', () => process.exit(0));

async function start() {
  const { Controller } = require(join(program, 'dist/controller.js'));
  const stop = () => process.exit(0);
  const controller = new Controller(stop, stop);
  process.on('SIGTERM', () => controller.stop());
  await controller.start();
  tell({ started: true });
}

start().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
