#include <stdarg.h>

#include "lock.h"

enum { EVENTS_IN_MESSAGE = 50, STEADY_MS = 10000, REPLY_MARGIN_MS = 300 };

unsigned talk_connection = 1;
char talk_session[17];
static enum { AWAY, CONNECTING, PENDING, UP } link; /* PENDING: a person has yet to confirm this lock (Protocol 7) */
static char message[14336];
static size_t used;                                 /* of message; beyond it: it did not fit, and is not sent */
static int64_t up_since, retry_at;                  /* by the uptime */
static int failures, awaited;                       /* awaited: the id of the PUBACK to the last events message; 0: it has come */
static int64_t sent, resend_to;                     /* the last event in that message */
static struct command *resending;                   /* its reply comes with the PUBACK to the event resend_to */

void talk_add(const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int length = used < sizeof message ? vsnprintf(message + used, sizeof message - used, format, values) : 0;
  va_end(values);
  used = length < 0 ? sizeof message : used + (size_t)length;
}

void talk_take(char *out, size_t size) {
  snprintf(out, size, "%s", message);
  used = 0;
}

void talk_sum(char sum[17]) {
  uint8_t bytes[32];
  port_sha256(message, used, bytes);
  for (int i = 0; i < 8; i++) snprintf(sum + 2 * i, 3, "%02x", bytes[i]);
  used = 0;
}

int talk_say(const char *channel) {
  const bool says = used < sizeof message && (link == UP || (link == PENDING && strcmp(channel, "hello") == 0));
  used = 0;
  return says ? port_mqtt_publish(channel, message, strcmp(channel, "status") == 0) : 0;
}

void talk_report(const char *channel) {
  talk_add("{\"session\":\"%s\",", talk_session);
  if (port_clock() != 0) talk_add("\"date\":%" PRId64 ",", port_clock()); /* Protocol 5.3 rule 4 */
  if (strcmp(channel, "battery") == 0) talk_add("\"level\":%d}", port_battery());
  else talk_add("\"state\":\"%s\"}", door_unlocked() ? "unlocked" : "locked");
  talk_say(channel);
}

/* The oldest first, one message at a time: a door needs no more of the 20 that Protocol 4.4 rule 3 allows. */
static void send_events(void) {
  struct event event;
  int count = 0;
  if (link != UP || awaited != 0 || memory_acknowledged == memory_last_seq) return;
  sent = memory_acknowledged > memory_last_seq - EVENTS ? memory_acknowledged : memory_last_seq - EVENTS;
  for (; sent < memory_last_seq && count < EVENTS_IN_MESSAGE; sent++) {
    if (!memory_event(sent + 1, &event)) continue;
    if (count++ == 0) talk_add("{\"epoch\":\"%s\",\"events\":[%s", memory.epoch, event.text);
    else talk_add(",%s", event.text);
  }
  if (count == 0) memory_acknowledged = sent; /* none of them can be read any more */
  else talk_add("]}"), awaited = talk_say("events");
}

bool talk_resend(struct command *command, int64_t from, int64_t to) {
  if (resending != NULL) return false;
  resending = command;
  resend_to = to < memory_last_seq ? to : memory_last_seq;
  if (from <= memory_acknowledged) memory_acknowledged = from - 1;
  awaited = 0; /* what is under way is sent again, too */
  return true;
}

static void end_resend(const char *error) {
  if (resending != NULL) command_end(resending, error);
  resending = NULL;
}

void lock_on_puback(int id) {
  if (id != awaited) return;
  awaited = 0;
  memory_acknowledged = sent; /* flushed with the next event: an event sent twice does no harm */
  if (sent >= resend_to) end_resend("");
}

void lock_on_subscribed(bool granted) {
  char cards[17], all[17], key[17];
  const int count_of_cards = memory_digest(true, cards), count = memory_digest(false, all);
  link = granted ? UP : PENDING;
  up_since = port_uptime();
  memory_random_text(talk_session, sizeof talk_session);
  talk_add("{\"protocol\":1,\"session\":\"%s\",\"uptime\":%" PRId64 ",", talk_session, port_uptime());
  if (port_clock() != 0) talk_add("\"date\":%" PRId64 ",", port_clock());
  command_add_settings();
  talk_add("\"state\":\"%s\",\"battery\":%d,", door_unlocked() ? "unlocked" : "locked", port_battery());
  talk_add("\"modelNum\":\"reference\",\"firmwareRevision\":\"2.0\",\"features\":[\"credentials\",\"once\"],");
  talk_add("\"limits\":{\"cards\":%d,\"passcodes\":%d,\"passcodeDigits\":[%d,%d]},", CARDS, PASSCODES, FEWEST_DIGITS, MOST_DIGITS);
  talk_add("\"cards\":{\"count\":%d,\"digest\":\"%s\"},", count_of_cards, cards);
  talk_add("\"credentials\":{\"count\":%d,\"digest\":\"%s\"},", count, all);
  talk_add("\"epoch\":\"%s\",\"lastSeq\":%" PRId64 "}", memory.epoch, memory_last_seq);
  talk_say("hello");
  talk_report("state");
  talk_report("battery");
  talk_add("online");
  talk_say("status");
  talk_add("%s", memory.key);
  talk_sum(key); /* its fingerprint, for a display or wherever a person can compare it */
  if (granted) port_log("online %s", talk_session);
  else port_log("waits to be confirmed; its key has the fingerprint %.4s-%.4s-%.4s-%.4s", key, key + 4, key + 8, key + 12);
}

void lock_on_disconnected(void) {
  uint16_t jitter;
  if (link == UP) port_log("offline");
  if (link == UP && port_uptime() - up_since > STEADY_MS) failures = 0;
  link = AWAY;
  talk_connection++;
  awaited = 0;
  end_resend("failed"); /* said to nobody */
  port_random(&jitter, sizeof jitter);
  const int wait = 500 << (failures < 3 ? failures++ : 3); /* 0.5 s to 4 s, and up to half more or less */
  retry_at = port_uptime() + wait / 2 + jitter % wait;
}

void lock_start(void) {
  memory_open();
  door_arm_auto_lock(); /* of a lock that lost its power while open */
  lock_on_disconnected();
}

int64_t lock_tick(void) {
  const int64_t now = port_uptime(), door = door_tick(now);
  if (link == AWAY && now >= retry_at) {
    link = CONNECTING;
    port_mqtt_open(memory.key);
  }
  if (resending != NULL && now + REPLY_MARGIN_MS > resending->expires) end_resend("failed");
  send_events();
  const int64_t talk = link == AWAY ? retry_at - now : resending != NULL ? 100 : 1000;
  return door < talk ? door : talk;
}

void lock_on_factory_reset(void) {
  port_mqtt_close(); /* before the reset, so that the gateway does not see the old one online (Protocol 7) */
  port_erase("key");
  port_erase("memory");
  lock_start();
}
