/* Whatever comes as a command and whatever happens at the door: the lock reads no byte that is not there, all that it says is JSON, its bolt
   begins to move for no command that is late or another session's, and no command moves it twice. Run under the sanitizers: fuzz SEED ROUNDS */
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock.h"

#define RECORDS 512
#define REMEMBERED_MOVES 16
static struct { char name[16]; size_t size; char *value; } records[RECORDS];
static uint64_t state;
static int64_t uptime = 1000, clock_now, arrives_at;
static enum port_bolt bolt, target;
static bool jammed, disk_full, in_command;
static int battery = 50;
static int64_t command_expires;
static char command_session[64], last_mover[128];
static long movements, published;

static void fail(const char *what) {
  printf("%s\n", what);
  abort();
}

static uint32_t below(uint32_t most) { /* splitmix64 */
  uint64_t mixed = (state += UINT64_C(0x9e3779b97f4a7c15));
  mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)((mixed ^ (mixed >> 31)) % most);
}

int64_t port_uptime(void) { return uptime; }
int64_t port_clock(void) { return clock_now; }
void port_set_clock(int64_t now) { clock_now = now; }
void port_random(void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) ((unsigned char *)bytes)[i] = (unsigned char)below(256);
}
void port_sha256(const void *bytes, size_t size, uint8_t out[32]) {
  unsigned char sum = 0;
  for (size_t i = 0; i < size; i++) sum = (unsigned char)(sum + ((const unsigned char *)bytes)[i]); /* touches every byte */
  memset(out, sum, 32);
}
void port_log(const char *format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (strncmp(line, "bolt ", 5) == 0) snprintf(last_mover, sizeof last_mover, "%s", line);
}

static int place_of(const char *name) {
  int place = 0;
  while (place < RECORDS - 1 && records[place].name[0] != '\0' && strcmp(records[place].name, name) != 0) place++;
  return place;
}
long port_load(const char *name, void *value, size_t size) {
  const int place = place_of(name);
  if (records[place].value == NULL) return -1;
  const size_t length = records[place].size < size ? records[place].size : size;
  memcpy(value, records[place].value, length);
  return (long)length;
}
bool port_erase(const char *name) {
  const int place = place_of(name);
  if (disk_full) return false;
  free(records[place].value);
  records[place].value = NULL;
  return true;
}
bool port_store(const char *name, const void *value, size_t size) {
  const int place = place_of(name);
  if (strlen(name) > 15) fail("the name of a record is too long");
  if (!port_erase(name)) return false;
  snprintf(records[place].name, sizeof records[place].name, "%s", name);
  records[place].value = malloc(size);
  records[place].size = size;
  memcpy(records[place].value, value, size);
  return true;
}

enum port_bolt port_bolt(void) {
  if (arrives_at != 0 && uptime < arrives_at) return PORT_BOLT_MOVING;
  if (arrives_at != 0 && !jammed) bolt = target;
  arrives_at = 0;
  return bolt;
}
void port_bolt_move(bool unlock) {
  static char moved[REMEMBERED_MOVES][128];
  if (port_bolt() == PORT_BOLT_MOVING) fail("it begins to move while it moves");
  const char *id = strrchr(last_mover, ' ');
  if (in_command) {
    if (strcmp(command_session, talk_session) != 0) fail("it moves for another session");
    if (command_expires < uptime) fail("it moves for a command that is late");
    for (int i = 0; i < REMEMBERED_MOVES; i++)
      if (strcmp(moved[i], id) == 0) fail("a command moves it twice");
    snprintf(moved[movements % REMEMBERED_MOVES], sizeof moved[0], "%s", id);
  }
  movements++;
  target = unlock ? PORT_BOLT_UNLOCKED : PORT_BOLT_LOCKED;
  arrives_at = uptime + 300;
}
int port_battery(void) { return battery; }

void port_mqtt_open(const char *key) {
  if (strlen(key) < 22 && !disk_full) fail("it has no key");
}
void port_mqtt_close(void) {}
int port_mqtt_publish(const char *channel, const char *text, bool retain) {
  cJSON *message = cJSON_Parse(text);
  if (retain != (strcmp(channel, "status") == 0)) fail(channel);
  if (message == NULL && !retain) fail(text);
  if (strstr(text, "wrong-passcode\",\"credential") != NULL) fail("a slip of the finger is in an event");
  cJSON_Delete(message);
  if (below(50) == 0) return 0;
  return (int)(++published % 60000) + 1;
}

/* A command that is right in most of its members, and then a few bytes of it are not. */
static void send_command(void) {
  static const char *const ops[] = {"lock", "unlock", "unlock", "add-card", "update-card", "remove-card", "list-cards", "put-credentials",
                                    "put-credentials", "remove-credentials", "list-credentials", "set-auto-lock",
                                    "set-settings", "set-clock", "get-status", "resend-events", "nothing"};
  static const char *const args[] = {"{\"items\":[{\"kind\":\"passcode\",\"number\":\"%04u\",\"startDate\":0,\"endDate\":0,\"once\":true},"
                                     "{\"kind\":\"card\",\"number\":\"%u\",\"startDate\":1,\"endDate\":9},{\"kind\":\"card\",\"number\":\"x\"}]}",
                                     "{\"cardNumber\":\"%u\",\"startDate\":0,\"endDate\":%u}", "{\"offset\":0,\"limit\":%u,\"x\":%u}",
                                     "{\"seconds\":%u,\"lockSound\":2,\"passageMode\":%u}", "{\"now\":%u,\"timezoneRawOffset\":%u}",
                                     "{\"epoch\":\"EPOCHEPO\",\"from\":%u,\"to\":%u}", "{}"};
  static uint32_t ids = 20;
  char members[256], text[768];
  snprintf(members, sizeof members, args[below(sizeof args / sizeof args[0])], below(130), below(130));
  char *epoch = strstr(members, "EPOCHEPO");
  if (epoch != NULL) memcpy(epoch, memory.epoch, 8);
  const char *session = below(8) == 0 ? "another" : talk_session;
  command_expires = uptime + (int64_t)below(4000) - 1000;
  snprintf(command_session, sizeof command_session, "%s", session);
  int length = snprintf(text, sizeof text, "{\"id\":\"%u\",\"session\":\"%s\",\"op\":\"%s\",\"args\":%s,\"expires\":%lld,\"ttl\":%u}",
                        ids++ - below(20), session, ops[below(sizeof ops / sizeof ops[0])], members, (long long)command_expires, below(9000));
  const bool spoiled = below(3) > 0;
  for (uint32_t changes = spoiled ? 1 + below(4) : 0; changes > 0; changes--) {
    const uint32_t at = below((uint32_t)length);
    if (below(3) == 0) length = (int)at + 1;
    else text[at] = below(2) == 0 ? "{}[]\",:\\u0e-9"[below(13)] : (char)below(256);
  }
  char *exact = malloc((size_t)length + 1); /* so that one byte beyond is seen */
  memcpy(exact, text, (size_t)length);
  exact[length] = '\0';
  in_command = !spoiled;
  lock_on_command(exact);
  in_command = false;
  free(exact);
}

static void happen(void) {
  static bool connected;
  char number[8];
  const bool card = below(2) == 0;
  snprintf(number, sizeof number, card ? "%u" : "%04u", below(130));
  switch (below(20)) {
    case 0: case 1: lock_on_presented(card ? 'c' : 'p', number); break;
    case 2: if (port_bolt() != PORT_BOLT_MOVING) lock_on_thumb_turn(); break;
    case 3: jammed = below(4) == 0; break;
    case 4: battery = (int)below(101); break;
    case 5: disk_full = below(10) == 0; break;
    case 6: lock_on_disconnected(); connected = false; break;
    case 7: if (!connected) lock_on_subscribed(below(5) > 0); connected = true; break;
    case 8: if (below(200) == 0) lock_on_factory_reset(); break;
    case 9: if (below(20) == 0 && !disk_full) memory_open(); break; /* what is flushed is there after a loss of power */
    case 10: case 11: case 12: lock_on_puback((int)((published - below(25)) % 60000) + 1); break;
    default: send_command();
  }
  uptime += below(4) == 0 ? below(3000) : below(30);
  lock_tick();
}

int main(int count, char **values) {
  state = count > 1 ? strtoull(values[1], NULL, 10) : 1;
  const long rounds = count > 2 ? atol(values[2]) : 100000;
  lock_start();
  for (long round = 0; round < rounds; round++) happen();
  printf("%ld rounds, %ld movements, %ld messages\n", rounds, movements, published);
  for (int i = 0; i < RECORDS; i++) free(records[i].value);
  return movements > 0 && published > 0 ? 0 : 1;
}
