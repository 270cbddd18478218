#include "lock.h"

static struct { bool under_way, unlock; const char *by; char credential[22]; struct command *command; } move;
static int64_t auto_lock_at; /* uptime; 0: it does not run */

bool door_unlocked(void) {
  static bool unlocked;
  if (port_bolt() != PORT_BOLT_MOVING) unlocked = port_bolt() == PORT_BOLT_UNLOCKED;
  return unlocked;
}

void door_arm_auto_lock(void) {
  const bool runs = door_unlocked() && memory.settings[AUTO_LOCK] > 0 && memory.settings[PASSAGE_MODE] != 1;
  auto_lock_at = runs ? port_uptime() + memory.settings[AUTO_LOCK] * INT64_C(1000) : 0;
}

/* The event is in the memory before anybody hears of the movement (Protocol 4.4 rule 1). error "": the bolt is where it should be. */
static void finish(bool unlock, const char *by, const char *credential, struct command *command, const char *error) {
  char type[24];
  snprintf(type, sizeof type, "%s-%s", by, unlock ? "unlock" : "lock");
  memory_add_event(type, error, credential, command == NULL ? "" : command->id);
  const bool jammed = strcmp(error, "jammed") == 0;
  if (jammed) memory_add_event("jammed", unlock ? "unlock" : "lock", "", "");
  if (*error == '\0') talk_report("state");
  if (command != NULL) command_end(command, error);
  if (*error == '\0' || (jammed && strcmp(by, "auto") != 0)) door_arm_auto_lock(); /* a jammed auto lock waits for a person */
}

/* What opens once is flushed out of the memory before the bolt moves (Protocol 5.1). */
static bool use_up(const char *name) {
  if (!memory_place(name)->once || strcmp(memory_place(name)->name, name) != 0) return true;
  memory_remove(name);
  return memory_keep();
}

void door_move(bool unlock, const char *by, const char *name, struct command *command) {
  const char *credential = *name == '\0' ? "" : name + 1;
  const bool there = door_unlocked() == unlock;
  if (move.under_way) finish(unlock, by, credential, command, "busy");
  else if (there && command != NULL) door_arm_auto_lock(), command_end(command, "");
  else if (!there && port_battery() < 5) finish(unlock, by, credential, command, "low-battery");
  else if (unlock && !use_up(name)) finish(unlock, by, credential, command, "failed");
  else if (there) finish(unlock, by, credential, command, ""); /* somebody came in */
  else {
    move.under_way = true;
    move.unlock = unlock;
    move.by = by;
    move.command = command;
    snprintf(move.credential, sizeof move.credential, "%s", credential);
    auto_lock_at = 0;
    port_log("bolt %s %s", unlock ? "unlock" : "lock", command == NULL ? by : command->id);
    port_bolt_move(unlock);
  }
}

int64_t door_tick(int64_t now) {
  static int battery = 100;
  if (move.under_way && port_bolt() != PORT_BOLT_MOVING) {
    move.under_way = false;
    finish(move.unlock, move.by, move.credential, move.command, door_unlocked() == move.unlock ? "" : "jammed");
  }
  if (battery != port_battery()) {
    if (battery > 20 && port_battery() <= 20) memory_add_event("low-battery", "", "", "");
    battery = port_battery();
    talk_report("battery");
  }
  if (auto_lock_at != 0 && now >= auto_lock_at) {
    auto_lock_at = 0;
    door_move(false, "auto", "", NULL);
  }
  return move.under_way ? 10 : auto_lock_at != 0 ? auto_lock_at - now : INT32_MAX;
}

/* A card or passcode unlocks, and without the timer it locks as well. */
void lock_on_presented(char kind, const char *digits) {
  char name[23];
  snprintf(name, sizeof name, "%c%s", kind, digits);
  const struct credential *one = memory_place(name);
  const bool card = kind == 'c', known = strcmp(one->name, name) == 0, timed = known && (one->start != 0 || one->end != 0);
  const char *error = known ? "" : card ? "unknown-card" : "wrong-passcode", *by = card ? "card" : "passcode";
  const int64_t now = port_clock();
  if (timed && (now < one->start || (one->end != 0 && now > one->end))) error = "not-valid-now";
  if (timed && now == 0) error = "clock-not-set"; /* Protocol 5.3 rule 4 */
  if (*error == '\0') door_move(!door_unlocked() || memory.settings[AUTO_LOCK] != 0, by, name, NULL);
  else finish(true, by, known || card ? digits : "", NULL, error); /* a slip of the finger is near a code (Protocol 4.4) */
}

void lock_on_thumb_turn(void) { finish(door_unlocked(), "inside", "", NULL, ""); }
