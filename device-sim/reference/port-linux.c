/* The port to Linux: libmosquitto for MQTT, a folder for the memory, and a door that is simulated by lines on standard input. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mosquitto.h>
#include <openssl/sha.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "port.h"

static const char *device_id, *host, *authority; /* authority: the file with the certificate of the gateway's authority; NULL: no TLS */
static int mqtt_port, folder;
static struct mosquitto *client;
static bool subscribed;
static int64_t give_up_at;   /* uptime, while it is not subscribed */
static int64_t clock_offset; /* of the clock from port_uptime; 0: not set. As after a change of batteries, it is not set at the start. */
static int64_t bolt_arrives_at;
static enum port_bolt bolt, bolt_target;
static bool jammed, quit;
static int battery = 90;

/* ---- Time, randomness, log ---- */
int64_t port_uptime(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now); /* CLOCK_MONOTONIC stands still while the machine sleeps: a late command would look fresh */
  return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

int64_t port_clock(void) { return clock_offset == 0 ? 0 : port_uptime() + clock_offset; }

void port_set_clock(int64_t now) { clock_offset = now - port_uptime(); }

void port_random(void *bytes, size_t size) {
  if (getrandom(bytes, size, 0) != (ssize_t)size) abort(); /* a lock without randomness must not speak */
}

void port_sha256(const void *bytes, size_t size, uint8_t out[32]) { SHA256(bytes, size, out); }

void port_log(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vprintf(format, values);
  va_end(values);
  puts("");
  fflush(stdout);
}

/* ---- Memory: each record is a file. It is written beside, flushed and renamed, so that a loss of power leaves the old or the new. ---- */
long port_load(const char *name, void *value, size_t size) {
  const int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? -1 : read(file, value, size);
  if (file < 0 ? errno != ENOENT : length < 0) abort(); /* what cannot be read now is not gone */
  if (file >= 0) close(file);
  return length;
}

bool port_store(const char *name, const void *value, size_t size) {
  const int file = openat(folder, "new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600); /* one of them is the key */
  if (file < 0) return false;
  const bool written = write(file, value, size) == (ssize_t)size && fsync(file) == 0;
  return close(file) == 0 && written && renameat(folder, "new", folder, name) == 0 && fsync(folder) == 0;
}

bool port_erase(const char *name) { return unlinkat(folder, name, 0) == 0 ? fsync(folder) == 0 : errno == ENOENT; }

/* ---- Bolt and battery, simulated. The position of the bolt is a thing, and outlives the program as a bolt does. ---- */
static void put_bolt(enum port_bolt where) {
  const char position = (char)('0' + where);
  bolt = where;
  port_store("bolt", &position, 1);
}

enum port_bolt port_bolt(void) {
  if (bolt_arrives_at == 0) return bolt;
  if (port_uptime() < bolt_arrives_at) return PORT_BOLT_MOVING;
  bolt_arrives_at = 0;
  if (!jammed) put_bolt(bolt_target);
  return bolt;
}

void port_bolt_move(bool unlock) {
  bolt_target = unlock ? PORT_BOLT_UNLOCKED : PORT_BOLT_LOCKED;
  bolt_arrives_at = port_uptime() + 300;
}

int port_battery(void) { return battery; }

/* ---- MQTT: one client object for each connection, so that nothing of one is ever sent over the next (Protocol 11). ---- */
static const char *topic_of(const char *channel) {
  static char topic[96];
  snprintf(topic, sizeof topic, "latchd/v1/%s/%s", device_id, channel);
  return topic;
}

static void on_connect(struct mosquitto *from, void *unused, int code) {
  (void)unused;
  if (code == 0) mosquitto_subscribe(from, NULL, topic_of("command"), 1);
  else port_log("refused: CONNACK %d", code); /* and the gateway closes the connection */
}

static void on_subscribe(struct mosquitto *from, void *unused, int id, int count, const int *granted) {
  (void)from, (void)unused, (void)id;
  subscribed = true;
  lock_on_subscribed(count == 1 && granted[0] <= 2);
}

static void on_message(struct mosquitto *from, void *unused, const struct mosquitto_message *message) {
  (void)from, (void)unused;
  char *text = message->payload == NULL ? NULL : strndup(message->payload, (size_t)message->payloadlen);
  if (text != NULL) lock_on_command(text);
  free(text);
}

static void on_publish(struct mosquitto *from, void *unused, int id) { (void)from, (void)unused, lock_on_puback(id); }

void port_mqtt_close(void) {
  if (client == NULL) return;
  mosquitto_disconnect(client);
  mosquitto_destroy(client);
  client = NULL;
}

void port_mqtt_open(const char *key) {
  port_mqtt_close();
  subscribed = false;
  give_up_at = port_uptime() + 10000;
  client = mosquitto_new(device_id, true, NULL);
  if (client == NULL) abort(); /* no memory */
  mosquitto_connect_callback_set(client, on_connect);
  mosquitto_subscribe_callback_set(client, on_subscribe);
  mosquitto_message_callback_set(client, on_message);
  mosquitto_publish_callback_set(client, on_publish);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  mosquitto_max_inflight_messages_set(client, 1000); /* events without PUBACK must not hold back the reply to an unlock */
  int error = mosquitto_username_pw_set(client, device_id, key);
  if (error == MOSQ_ERR_SUCCESS) error = mosquitto_will_set(client, topic_of("status"), 7, "offline", 1, true);
  if (error == MOSQ_ERR_SUCCESS && authority != NULL) error = mosquitto_tls_set(client, authority, NULL, NULL, NULL, NULL);
  if (error == MOSQ_ERR_SUCCESS) error = mosquitto_connect_async(client, host, mqtt_port, 30); /* waits for the look-up of a name alone */
  if (error != MOSQ_ERR_SUCCESS) port_log("no connection: %s", error == MOSQ_ERR_ERRNO ? strerror(errno) : mosquitto_strerror(error));
}

int port_mqtt_publish(const char *channel, const char *text, bool retain) {
  int id = 0;
  return mosquitto_publish(client, &id, topic_of(channel), (int)strlen(text), text, 1, retain) == MOSQ_ERR_SUCCESS ? id : 0;
}

/* ---- What happens at the door: a line each ---- */
static void at_the_door(const char *line) {
  char digits[24];
  if (strncmp(line, "swipe ", 6) == 0) {
    snprintf(digits, sizeof digits, "%" PRIu64, (uint64_t)strtoull(line + 6, NULL, 0));
    lock_on_presented('c', digits);
  } else if (sscanf(line, "code %20[0-9]", digits) == 1) lock_on_presented('p', digits);
  else if (strcmp(line, "thumbturn\n") == 0 && port_bolt() != PORT_BOLT_MOVING) {
    put_bolt(port_bolt() == PORT_BOLT_LOCKED ? PORT_BOLT_UNLOCKED : PORT_BOLT_LOCKED);
    lock_on_thumb_turn();
  } else if (strncmp(line, "jam ", 4) == 0) jammed = strcmp(line + 4, "on\n") == 0;
  else if (strncmp(line, "battery ", 8) == 0) battery = atoi(line + 8);
  else if (strcmp(line, "reset\n") == 0) lock_on_factory_reset();
  else if (strcmp(line, "quit\n") == 0) quit = true;
  else port_log("not understood: %s", line);
}

static void wait_and_serve(int64_t milliseconds) {
  char line[64];
  static int input = STDIN_FILENO; /* -1: it has ended */
  const int line_of_lock = client == NULL ? -1 : mosquitto_socket(client);
  const bool writes = line_of_lock >= 0 && mosquitto_want_write(client);
  struct pollfd files[2] = {{input, POLLIN, 0}, {line_of_lock, (short)(writes ? POLLIN | POLLOUT : POLLIN), 0}};
  poll(files, 2, milliseconds < 0 ? 0 : milliseconds > 1000 ? 1000 : (int)milliseconds);
  if (client != NULL) { /* also when nothing has come: mosquitto_loop sends the pings */
    const int error = line_of_lock < 0 || (files[1].revents & POLLERR) != 0 ? MOSQ_ERR_NO_CONN : mosquitto_loop(client, 0, 1);
    const bool late = !subscribed && port_uptime() > give_up_at;
    if (error == MOSQ_ERR_TLS) port_log("no connection: the gateway's certificate is not of the authority, or not for this host");
    if (error != MOSQ_ERR_SUCCESS || mosquitto_socket(client) < 0 || late) {
      port_mqtt_close();
      lock_on_disconnected();
    }
  }
  if (files[0].revents == 0) return;
  if (fgets(line, sizeof line, stdin) != NULL) at_the_door(line);
  else input = -1;
}

int main(int count, char **values) {
  if (count < 5 || count > 6) {
    fprintf(stderr, "usage: %s DEVICE-ID FOLDER HOST PORT [CA-FILE]\n", values[0]);
    return 2;
  }
  device_id = values[1];
  host = values[3];
  mqtt_port = atoi(values[4]);
  authority = count == 6 ? values[5] : NULL;
  folder = open(values[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    fprintf(stderr, "%s: %s\n", values[2], strerror(errno));
    return 2;
  }
  char position = '0';
  port_load("bolt", &position, 1);
  bolt = position == '1' ? PORT_BOLT_UNLOCKED : PORT_BOLT_LOCKED;
  setvbuf(stdin, NULL, _IONBF, 0); /* so that poll sees every line that fgets has not taken */
  mosquitto_lib_init();
  lock_start();
  while (!quit) wait_and_serve(lock_tick());
  port_mqtt_close();
  mosquitto_lib_cleanup();
  return 0;
}
