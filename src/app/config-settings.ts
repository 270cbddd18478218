// The settings that can be given by the environment and by flags, and what their texts mean.

/** The settings that can be given outside the file: the place of each in the configuration, and its names outside. */
export const settings = [
  { path: ['dataDir'], variable: 'LATCHD_DATA_DIR', flag: '--data-dir', hint: '<folder>' },
  { path: ['store'], variable: 'LATCHD_STORE', flag: '--store', hint: '<files|url>' },
  { path: ['storePasswordFile'], variable: 'LATCHD_STORE_PASSWORD_FILE', flag: '--store-password-file', hint: '<file>' },
  { path: ['cluster', 'name'], variable: 'LATCHD_CLUSTER_NAME', flag: '--cluster-name', hint: '<name>' },
  { path: ['cluster', 'url'], variable: 'LATCHD_CLUSTER_URL', flag: '--cluster-url', hint: '<https://host:port>' },
  { path: ['cluster', 'leaseSeconds'], variable: 'LATCHD_CLUSTER_LEASE_SECONDS', flag: '--cluster-lease-seconds', hint: '<seconds>' },
  { path: ['http', 'enabled'], variable: 'LATCHD_HTTP_ENABLED', flag: '--http-enabled', hint: '<true|false>' },
  { path: ['http', 'host'], variable: 'LATCHD_HTTP_HOST', flag: '--http-host', hint: '<host>' },
  { path: ['http', 'port'], variable: 'LATCHD_HTTP_PORT', flag: '--http-port', hint: '<port>' },
  { path: ['http', 'trustedProxies'], variable: 'LATCHD_HTTP_TRUSTED_PROXIES', flag: '--http-trusted-proxies', hint: '<network,…>' },
  { path: ['https', 'enabled'], variable: 'LATCHD_HTTPS_ENABLED', flag: '--https-enabled', hint: '<true|false>' },
  { path: ['https', 'host'], variable: 'LATCHD_HTTPS_HOST', flag: '--https-host', hint: '<host>' },
  { path: ['https', 'port'], variable: 'LATCHD_HTTPS_PORT', flag: '--https-port', hint: '<port>' },
  { path: ['mqtt', 'enabled'], variable: 'LATCHD_MQTT_ENABLED', flag: '--mqtt-enabled', hint: '<true|false>' },
  { path: ['mqtt', 'host'], variable: 'LATCHD_MQTT_HOST', flag: '--mqtt-host', hint: '<host>' },
  { path: ['mqtt', 'port'], variable: 'LATCHD_MQTT_PORT', flag: '--mqtt-port', hint: '<port>' },
  { path: ['mqtts', 'enabled'], variable: 'LATCHD_MQTTS_ENABLED', flag: '--mqtts-enabled', hint: '<true|false>' },
  { path: ['mqtts', 'host'], variable: 'LATCHD_MQTTS_HOST', flag: '--mqtts-host', hint: '<host>' },
  { path: ['mqtts', 'port'], variable: 'LATCHD_MQTTS_PORT', flag: '--mqtts-port', hint: '<port>' },
  { path: ['devices', 'enabled'], variable: 'LATCHD_DEVICES_ENABLED', flag: '--devices-enabled', hint: '<true|false>' },
  { path: ['devices', 'host'], variable: 'LATCHD_DEVICES_HOST', flag: '--devices-host', hint: '<host>' },
  { path: ['devices', 'port'], variable: 'LATCHD_DEVICES_PORT', flag: '--devices-port', hint: '<port>' },
  { path: ['devices', 'networks'], variable: 'LATCHD_DEVICES_NETWORKS', flag: '--devices-networks', hint: '<network,…>' },
  { path: ['webSocket', 'plain'], variable: 'LATCHD_WEB_SOCKET_PLAIN', flag: '--web-socket-plain', hint: '<true|false>' },
  { path: ['metrics', 'enabled'], variable: 'LATCHD_METRICS_ENABLED', flag: '--metrics-enabled', hint: '<true|false>' },
  { path: ['discovery', 'enabled'], variable: 'LATCHD_DISCOVERY_ENABLED', flag: '--discovery-enabled', hint: '<true|false>' },
  { path: ['updates', 'check'], variable: 'LATCHD_UPDATES_CHECK', flag: '--updates-check', hint: '<true|false>' },
  { path: ['ttlock', 'enabled'], variable: 'LATCHD_TTLOCK_ENABLED', flag: '--ttlock-enabled', hint: '<true|false>' },
  { path: ['timeZone'], variable: 'LATCHD_TIME_ZONE', flag: '--time-zone', hint: '<name>' },
  { path: ['commandTimeoutMs'], variable: 'LATCHD_COMMAND_TIMEOUT_MS', flag: '--command-timeout-ms', hint: '<ms>' },
  { path: ['logLevel'], variable: 'LATCHD_LOG_LEVEL', flag: '--log-level', hint: '<level>' },
] as const;

const numbers: readonly string[] = [
  'cluster.leaseSeconds',
  'http.port',
  'https.port',
  'mqtt.port',
  'mqtts.port',
  'devices.port',
  'commandTimeoutMs',
];
const switches: readonly string[] = [
  'http.enabled',
  'https.enabled',
  'mqtt.enabled',
  'mqtts.enabled',
  'devices.enabled',
  'webSocket.plain',
  'metrics.enabled',
  'discovery.enabled',
  'updates.check',
  'ttlock.enabled',
];
/** Their members are separated by commas. */
const lists: readonly string[] = ['devices.networks', 'http.trustedProxies'];

/** What a setting is that was given as a text; when that is no number or switch, the text, which no schema takes for one. */
export function givenValue(path: readonly string[], text: string): unknown {
  // Matched by a pattern before it is converted, because Number() would accept "", " 1" and "0x10".
  const name = path.join('.');
  if (numbers.includes(name) && /^\d{1,15}$/.test(text)) return Number(text);
  if (switches.includes(name) && /^(true|false)$/.test(text)) return text === 'true';
  if (lists.includes(name)) return text.split(',').map((member) => member.trim());
  return text;
}
