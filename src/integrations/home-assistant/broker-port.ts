// The connection to the broker that Home Assistant uses, as this room needs it; src/app joins it with the MQTT client (version 5 alone).

export interface HomeMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** It was published to be retained; or it comes from the store of the broker, where that was asked for. */
  readonly isRetained: boolean;
}

export interface HomeBrokerEvents {
  onUp(): void;
  /** The connection, or an attempt, has ended. `isRefusal`: the broker does not take the login, or does not know MQTT 5. */
  onDown(reason: string, isRefusal: boolean): void;
  onMessage(message: HomeMessage): void;
  /** The broker does not let us hear this. */
  onRefused(filters: readonly string[]): void;
  /** The broker does not take what is published to this topic. */
  onPublishRefused(topic: string, reason: string): void;
}

/** There is one connection at most, and it is for this connection alone that anything waits: what was not sent before its end never is. */
export interface HomeBroker {
  start(): void;
  /** Leaves with the will, so that everybody hears of it; takes at most 2 s. */
  stop(): Promise<void>;
  isUp(): boolean;
  /**
   * False: not connected, nothing sent, nothing queued. What the broker cannot take at once waits: of a retained topic the newest payload alone, of
   * others 1,000 at most (false beyond them).
   */
  publish(topic: string, payload: string, options: { readonly retain: boolean; readonly qos: 0 | 1 }): boolean;
  /** Resolves when little waits to be sent; at once, when nothing does or there is no connection. Whoever has much to say asks now and then. */
  room(): Promise<void>;
  /**
   * `stored`: whether the broker sends what it has retained for these filters. Either way what is published to be retained is delivered with that flag,
   * and our own messages do not come back. Quality of service 0.
   */
  subscribe(filters: readonly string[], how: { readonly stored: 'send' | 'never' }): void;
  unsubscribe(filters: readonly string[]): void;
}

/** Creating it does no I/O. `statusTopic`: gets `offline`, retained, when the connection ends. */
export type OpenHomeBroker = (statusTopic: string, events: HomeBrokerEvents) => HomeBroker;
