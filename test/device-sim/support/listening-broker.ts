// A plain broker on port 0 that keeps what was published and lets a test hold back its acknowledgements.
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Aedes } from 'aedes';

interface Heard {
  readonly channel: string;
  readonly payload: string;
  readonly retain: boolean;
  readonly qos: number;
}

export interface ListeningBroker {
  readonly url: string;
  readonly heard: readonly Heard[];
  /** Resolves with the first message, past or to come, that fits. */
  until(fits: (message: Heard) => boolean): Promise<Heard>;
  /** How each client came in. */
  readonly connects: readonly object[];
  /** Says a command to a lock. */
  command(deviceId: string, command: object): void;
  commandText(deviceId: string, text: string): void;
  /** Resolves when every command so far has been acknowledged by the lock's MQTT client. */
  delivered(): Promise<void>;
  /** True: no PUBACK for events from now on; false: those held back are sent. */
  holdEvents(on: boolean): void;
  /** True: no PUBACK for events at all, as from a gateway whose disk is full, and never for those that came meanwhile. */
  leaveEvents(on: boolean): void;
  /** Who may come in; everybody at first. */
  admit(check: (deviceId: string, key: string) => boolean): void;
  /** True: every subscription gets SUBACK 0x80, as from a gateway that waits for a person. */
  refuseSubscriptions(on: boolean): void;
  /** Ends every connection. */
  kick(): void;
  /** Forgets what was heard. */
  forget(): void;
  stop(): Promise<void>;
}

export async function startListeningBroker(): Promise<ListeningBroker> {
  const broker = await Aedes.createBroker();
  const heard: Heard[] = [];
  let watchers: { readonly fits: (message: Heard) => boolean; readonly resolve: (message: Heard) => void }[] = [];
  let held: (() => void)[] | undefined;
  let left = false;
  let check: (deviceId: string, key: string) => boolean = () => true;
  broker.authenticate = (client, _username, password, done) => done(null, check(client.id, password?.toString() ?? ''));
  broker.authorizePublish = (client, packet, done) => {
    const channel = packet.topic.split('/').at(-1) ?? '';
    const message = { channel, payload: packet.payload.toString(), retain: packet.retain, qos: packet.qos };
    if (client !== null) {
      heard.push(message);
      for (const watcher of watchers.filter(({ fits }) => fits(message))) watcher.resolve(message);
      watchers = watchers.filter(({ fits }) => !fits(message));
    }
    if (channel === 'events' && left) packet.qos = 0;
    if (channel === 'events' && held !== undefined) held.push(() => done(null));
    else done(null);
  };
  const connects: object[] = [];
  broker.preConnect = (_client, packet, done) => {
    const { clientId, clean, keepalive, protocolVersion, will } = packet;
    connects.push({
      clientId,
      clean,
      keepalive,
      protocolVersion,
      will: will && `${will.topic} ${will.payload} ${will.qos} ${will.retain}`,
    });
    done(null, true);
  };
  let refuse = false;
  broker.authorizeSubscribe = (_client, subscription, done) => done(null, refuse ? null : subscription);
  let undelivered = 0;
  let whenDelivered: (() => void)[] = [];
  broker.on('ack', () => {
    undelivered--;
    if (undelivered > 0) return;
    for (const resolve of whenDelivered) resolve();
    whenDelivered = [];
  });
  const commandText = (deviceId: string, text: string): void => {
    undelivered++;
    const topic = `latchd/v1/${deviceId}/command`;
    broker.publish({ cmd: 'publish', topic, payload: Buffer.from(text), qos: 1, retain: false, dup: false }, () => undefined);
  };
  const server: Server = createServer(broker.handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const kick = (): void => {
    for (const client of Object.values((broker as unknown as { clients: Record<string, { conn: { destroy(): void } }> }).clients))
      client.conn.destroy();
  };
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    until(fits) {
      const already = heard.find(fits);
      if (already !== undefined) return Promise.resolve(already);
      return new Promise((resolve) => watchers.push({ fits, resolve }));
    },
    connects,
    command: (deviceId, command) => commandText(deviceId, JSON.stringify(command)),
    commandText,
    delivered: () => (undelivered === 0 ? Promise.resolve() : new Promise((resolve) => whenDelivered.push(resolve))),
    holdEvents(on) {
      const waiting = held ?? [];
      held = on ? [] : undefined;
      for (const release of waiting) release();
    },
    leaveEvents(on) {
      left = on;
    },
    admit(newCheck) {
      check = newCheck;
    },
    refuseSubscriptions(on) {
      refuse = on;
    },
    kick,
    forget() {
      heard.length = 0;
    },
    async stop() {
      kick();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await new Promise<void>((resolve) => broker.close(() => resolve()));
    },
  };
}
