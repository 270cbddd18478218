// The broker with its forwarding switched off: whatever was subscribed to and whatever is said, nobody hears it (Fault T11).
import { expect, test } from '@jest/globals';
import { type Forwarder, forwardNothing } from '../../src/broker/aedes.ts';
import { connectPacket, disconnectPacket, openRaw, pingPacket, publishPacket, subscribePacket, types } from '../support/mqtt-raw.ts';
import { startPlainBroker } from '../support/plain-broker.ts';

test('a subscription is answered and hears nothing: not what others say, not what was retained, not itself (Fault T11)', async () => {
  const { port, aedes, stop } = await startPlainBroker({ guarded: true });
  forwardNothing(aedes as unknown as Forwarder);
  const join = async (clientId: string) => {
    const client = await openRaw({ host: '127.0.0.1', port });
    client.send(connectPacket({ clientId }));
    expect(await client.next()).toMatchObject({ type: types.connack });
    return client;
  };
  const speaker = await join('speaker');
  const say = (messageId: number) => publishPacket('a/b', 'x', messageId, { retain: true });
  speaker.send(say(1));
  expect(await speaker.next()).toMatchObject({ type: types.puback });

  const listener = await join('listener');
  listener.send(subscribePacket(1, '#', 'a/b', '$SYS/#'));
  expect((await listener.next()).body).toEqual(Buffer.from([0, 1, 1, 1, 1]));
  listener.send(say(2));
  expect(await listener.next()).toMatchObject({ type: types.puback });
  speaker.send(say(3));
  expect(await speaker.next()).toMatchObject({ type: types.puback });
  listener.send(pingPacket);
  expect(await listener.next()).toMatchObject({ type: types.pingresp });

  listener.send(disconnectPacket);
  await listener.closed;
  await stop();
});
