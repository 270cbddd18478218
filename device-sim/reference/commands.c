#include <cjson/cJSON.h>

#include "lock.h"

enum { REMEMBERED = 34, BATCH = 20 }; /* REMEMBERED: the last 32 (Protocol 5.3 rule 2), a movement and a resend-events */
static const char *const setting_names[AUTO_LOCK + 1] = {
    "lockSound", "privacyLock", "tamperAlert", "resetButton", "openDirection", "passageMode", "passageModeAutoUnlock", "seconds"};
static const char done[] = "", later[] = "later"; /* what an operation returns besides an error: its reply is due, or sees to itself */
static struct command commands[REMEMBERED];

static const char *text_of(const cJSON *object, const char *name) { /* "": there is none, or it is no text */
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
  return text == NULL ? "" : text;
}

static bool integer_of(const cJSON *object, const char *name, int64_t least, int64_t most, int64_t *out) {
  const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
  if (!cJSON_IsNumber(member) || !(member->valuedouble >= (double)least && member->valuedouble <= (double)most)) return false;
  *out = (int64_t)member->valuedouble;
  return (double)*out == member->valuedouble;
}

static void say_reply(const struct command *command) {
  if (command->connection != talk_connection) return; /* never on a new connection to a command of the old one */
  talk_add("{\"id\":%s,%s}", command->id, command->reply);
  talk_say("reply");
}

void command_end(struct command *command, const char *error) {
  talk_add("\"state\":\"%s\",\"battery\":%d,\"ok\":%s", door_unlocked() ? "unlocked" : "locked", port_battery(), *error ? "false" : "true");
  if (*error != '\0') talk_add(",\"error\":\"%s\"", error);
  talk_take(command->reply, sizeof command->reply);
  command->under_way = false;
  say_reply(command);
}

/* Late means never (Protocol 5.3 rule 1): a bolt that would arrive too late for the reply does not begin to move. */
static const char *move_bolt(struct command *command, bool unlock) {
  if (door_unlocked() != unlock && command->expires < port_uptime() + PORT_BOLT_MS) return "expired";
  door_move(unlock, "remote", "", command);
  return later;
}

/* Puts or removes a card or passcode in the memory, without flushing it. */
static const char *change(const char *op, const cJSON *item, const char *kind, const char *number) {
  const bool card = strcmp(kind, "card") == 0;
  const size_t digits = strspn(number, "0123456789"), fewest = card ? 1 : FEWEST_DIGITS, most = card ? 20 : MOST_DIGITS;
  const cJSON *once = cJSON_GetObjectItemCaseSensitive(item, "once");
  struct credential new = {.once = cJSON_IsTrue(once)};
  if ((!card && strcmp(kind, "passcode") != 0) || digits < fewest || digits > most || number[digits] != '\0') return "failed";
  snprintf(new.name, sizeof new.name, "%c%s", *kind, number);
  struct credential *place = memory_place(new.name), *passcodes = memory_place("d"), *end = memory_place("q");
  const bool there = strcmp(place->name, new.name) == 0;
  if (strncmp(op, "remove", 6) == 0) return memory_remove(new.name), done;
  if (strncmp(op, "update", 6) == 0 && !there) return "not-found";
  if (!integer_of(item, "startDate", 0, MOST, &new.start) || !integer_of(item, "endDate", 0, MOST, &new.end)) return "failed";
  if ((new.end != 0 && new.end < new.start) || (once != NULL && !new.once)) return "failed";
  if (cJSON_GetObjectItemCaseSensitive(item, "hours") != NULL) return "not-supported";
  if ((new.start != 0 || new.end != 0) && port_clock() == 0) return "clock-not-set"; /* Protocol 5.3 rule 4 */
  if (!there && (card ? passcodes - memory.credentials == CARDS : end - passcodes == PASSCODES)) return "no-space";
  if (!there) memmove(place + 1, place, (size_t)(end - place) * sizeof *place);
  *place = new;
  return done;
}

static const char *change_card(const char *op, const cJSON *args) {
  const char *error = change(op, args, "card", text_of(args, "cardNumber"));
  return *error != '\0' || memory_keep() ? error : "failed";
}

static const char *change_batch(const char *op, const cJSON *args) {
  const cJSON *item, *items = cJSON_GetObjectItemCaseSensitive(args, "items");
  const char *errors[BATCH], *comma = "";
  char digest[17];
  int count = 0;
  if (!cJSON_IsArray(items) || cJSON_GetArraySize(items) < 1 || cJSON_GetArraySize(items) > BATCH) return "failed";
  cJSON_ArrayForEach(item, items) errors[count++] = change(op, item, text_of(item, "kind"), text_of(item, "number"));
  if (!memory_keep()) return "failed";
  talk_add("\"result\":{\"count\":%d,\"digest\":\"%s\",\"failed\":[", memory_digest(false, digest), digest);
  for (int i = 0; i < count; i++)
    if (*errors[i] != '\0') talk_add("%s{\"index\":%d,\"error\":\"%s\"}", comma, i, errors[i]), comma = ",";
  talk_add("]},");
  return done;
}

/* A listing is too long to be remembered, and moves nothing: for a repeated command it is made again. */
static const char *list(struct command *command, const cJSON *args, bool cards) {
  int64_t offset, limit;
  char digest[17];
  const int total = memory_digest(cards, digest);
  const struct credential *one = memory.credentials, *end = one + total;
  if (!integer_of(args, "offset", 0, MOST, &offset) || !integer_of(args, "limit", 1, 100, &limit)) return "failed";
  talk_add("{\"id\":%s,\"ok\":true,\"result\":{\"count\":%d,\"digest\":\"%s\",\"total\":%d", command->id, total, digest, total);
  talk_add(",\"%s\":[", cards ? "cards" : "credentials");
  for (one += offset < total ? offset : total; one < end && limit > 0; one++, limit--) {
    if (cards) talk_add("{\"cardNumber\":\"%s\"", one->name + 1);
    else talk_add("{\"kind\":\"%s\",\"number\":\"%s\"", one->name[0] == 'c' ? "card" : "passcode", one->name + 1);
    talk_add(",\"startDate\":%" PRId64 ",\"endDate\":%" PRId64 "%s}", one->start, one->end, one->once && !cards ? ",\"once\":true" : "");
    if (one + 1 < end && limit > 1) talk_add(",");
  }
  talk_add("]}}");
  command->under_way = false;
  talk_say("reply");
  return later;
}

static const char *set(const cJSON *args, int first, int last) {
  int64_t values[AUTO_LOCK + 1];
  for (int i = first; i <= last; i++) {
    values[i] = memory.settings[i];
    if (i != AUTO_LOCK && cJSON_GetObjectItemCaseSensitive(args, setting_names[i]) == NULL) continue;
    if (!integer_of(args, setting_names[i], i == LAST_SETTING, i == AUTO_LOCK ? 65535 : 2, &values[i])) return "failed";
  }
  for (int i = first; i <= last; i++) memory.settings[i] = (int32_t)values[i];
  if (!memory_keep()) return "failed";
  door_arm_auto_lock();
  return done;
}

static const char *set_clock(const cJSON *args) {
  int64_t now;
  if (!integer_of(args, "now", 1, MOST, &now)) return "failed";
  port_set_clock(now);
  return done;
}

void command_add_settings(void) {
  talk_add("\"autoLockTime\":%d,\"settings\":{", (int)memory.settings[AUTO_LOCK]);
  for (int i = 0; i <= LAST_SETTING; i++)
    talk_add("\"%s\":%d%s", setting_names[i], (int)memory.settings[i], i < LAST_SETTING ? "," : "},");
}

static const char *get_status(void) {
  talk_report("state");
  talk_report("battery");
  command_add_settings();
  return done;
}

static const char *resend_events(struct command *command, const cJSON *args) {
  int64_t from, to;
  if (!integer_of(args, "from", 1, MOST, &from) || !integer_of(args, "to", 1, MOST, &to)) return "failed";
  if (strcmp(text_of(args, "epoch"), memory.epoch) != 0 || from > to || from > memory_last_seq) return done; /* it has none of these */
  return talk_resend(command, from, to) ? later : "busy";
}

static const char *run(struct command *command, const char *op, const cJSON *args) {
  if (strcmp(op, "unlock") == 0) return move_bolt(command, true);
  if (strcmp(op, "lock") == 0) return move_bolt(command, false);
  if (strcmp(op, "add-card") == 0 || strcmp(op, "update-card") == 0 || strcmp(op, "remove-card") == 0) return change_card(op, args);
  if (strcmp(op, "put-credentials") == 0 || strcmp(op, "remove-credentials") == 0) return change_batch(op, args);
  if (strcmp(op, "list-cards") == 0) return list(command, args, true);
  if (strcmp(op, "list-credentials") == 0) return list(command, args, false);
  if (strcmp(op, "set-auto-lock") == 0) return set(args, AUTO_LOCK, AUTO_LOCK);
  if (strcmp(op, "set-settings") == 0) return set(args, 0, LAST_SETTING);
  if (strcmp(op, "set-clock") == 0) return set_clock(args);
  if (strcmp(op, "get-status") == 0) return get_status();
  if (strcmp(op, "resend-events") == 0) return resend_events(command, args);
  return "not-supported";
}

static void receive(const cJSON *message) {
  struct command command = {.connection = talk_connection, .under_way = true}, *before = NULL;
  static int next; /* the oldest */
  int64_t ttl;
  cJSON *id = cJSON_GetObjectItemCaseSensitive(message, "id"), *args = cJSON_GetObjectItemCaseSensitive(message, "args");
  const char *session = text_of(message, "session"), *op = text_of(message, "op");
  const bool understood = cJSON_IsString(id) && cJSON_PrintPreallocated(id, command.id, sizeof command.id, false) && *session != '\0' &&
                          *op != '\0' && cJSON_IsObject(args) && integer_of(message, "ttl", 0, MOST, &ttl) &&
                          integer_of(message, "expires", -MOST, MOST, &command.expires);
  for (int i = 0; i < REMEMBERED; i++)
    if (understood && strcmp(commands[i].id, command.id) == 0) before = &commands[i];
  if (before != NULL) before->connection = talk_connection; /* the repetition has come on this one */
  if (!understood) port_log("a command that is none");
  else if (before != NULL && before->under_way) port_log("a command again"); /* its reply will do for both */
  else if (before != NULL && before->reply[0] != '\0') say_reply(before);
  else if (strcmp(session, talk_session) != 0 || command.expires < port_uptime()) command_end(&command, "expired");
  else {
    for (; before == NULL; next = (next + 1) % REMEMBERED)
      if (!commands[next].under_way) before = &commands[next];
    *before = command;
    const char *result = run(before, op, args);
    if (result != later) command_end(before, result);
  }
}

void lock_on_command(const char *text) {
  cJSON *message = cJSON_ParseWithOpts(text, NULL, true);
  receive(message);
  cJSON_Delete(message);
}
