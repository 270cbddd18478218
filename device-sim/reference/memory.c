#include "lock.h"

struct memory memory;
int64_t memory_last_seq, memory_acknowledged;

void memory_random_text(char *out, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  port_random(out, size - 1);
  for (size_t i = 0; i + 1 < size; i++) out[i] = digits[(unsigned char)out[i] & 63];
  out[size - 1] = '\0';
}

static const char *record_of(int64_t seq) {
  static char name[16];
  snprintf(name, sizeof name, "event-%d", (int)(seq % EVENTS));
  return name;
}

static bool load(void) {
  memset(&memory, 0, sizeof memory);
  return port_load("memory", &memory, sizeof memory) >= (long)offsetof(struct memory, credentials);
}

bool memory_keep(void) {
  if (port_store("memory", &memory, (size_t)((char *)memory_place("q") - (char *)&memory))) return true;
  load();
  return false;
}

void memory_open(void) {
  static const int32_t settings[AUTO_LOCK + 1] = {2, 2, 2, 2, 1, 2, 2, 5};
  struct event event;
  memory_last_seq = memory_acknowledged = 0;
  if (!load()) { /* it leaves the factory: with its counter of events the epoch begins anew, too. The record "memory" is written last. */
    for (int i = 0; i < EVENTS; i++) port_erase(record_of(i));
    memcpy(memory.settings, settings, sizeof settings);
    memory_random_text(memory.epoch, sizeof memory.epoch);
    if (port_load("key", memory.key, sizeof memory.key - 1) < 1) memory_random_text(memory.key, 23); /* none from an installer */
    memory.key[strcspn(memory.key, "\n")] = '\0';
    memory_keep();
  }
  for (int i = 0; i < EVENTS; i++) {
    if (port_load(record_of(i), &event, sizeof event) != (long)sizeof event || event.seq <= memory_last_seq) continue;
    memory_last_seq = event.seq;
    memory_acknowledged = event.acknowledged;
  }
}

struct credential *memory_place(const char *name) {
  struct credential *place = memory.credentials;
  while (place->name[0] != '\0' && strcmp(place->name, name) < 0) place++;
  return place;
}

void memory_remove(const char *name) {
  struct credential *place = memory_place(name);
  if (strcmp(place->name, name) == 0) memmove(place, place + 1, (size_t)(memory_place("q") - place) * sizeof *place);
}

int memory_digest(bool cards, char digest[17]) {
  const struct credential *end = memory_place(cards ? "d" : "q");
  for (const struct credential *one = memory.credentials; one < end; one++) {
    if (!cards) talk_add("%c,", one->name[0]);
    talk_add("%s,%" PRId64 ",%" PRId64, one->name + 1, one->start, one->end);
    talk_add(cards ? "\n" : one->once ? ",,1\n" : ",,\n");
  }
  talk_sum(digest);
  return (int)(end - memory.credentials);
}

void memory_add_event(const char *type, const char *reason, const char *credential, const char *command) {
  struct event event = {.seq = memory_last_seq + 1, .acknowledged = memory_acknowledged};
  talk_add("{\"type\":\"%s\",", type);
  if (*reason != '\0') talk_add("\"success\":false,\"reason\":\"%s\",", reason);
  if (*credential != '\0') talk_add("\"credential\":\"%s\",", credential);
  if (*command != '\0') talk_add("\"commandId\":%s,", command);
  if (port_clock() != 0) talk_add("\"date\":%" PRId64 ",", port_clock()); /* Protocol 5.3 rule 4 */
  talk_add("\"seq\":%" PRId64 "}", event.seq);
  talk_take(event.text, sizeof event.text);
  const bool stored = port_store(record_of(event.seq), &event, sizeof event);
  port_log("event %" PRId64 " %s %s %s%s", event.seq, type, reason, credential, stored ? "" : " cannot be stored, and is lost");
  if (stored) memory_last_seq = event.seq;
}

bool memory_event(int64_t seq, struct event *event) {
  return port_load(record_of(seq), event, sizeof *event) == (long)sizeof *event && event->seq == seq;
}
