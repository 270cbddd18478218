/* What the parts of the lock know of each other. All is one lock, so there is one of each. */
#pragma once
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "port.h"

enum { CARDS = 100, PASSCODES = 50, FEWEST_DIGITS = 4, MOST_DIGITS = 9, EVENTS = 256 }; /* how many fit; the oldest event gives way */
enum { PASSAGE_MODE = 5, LAST_SETTING = 6, AUTO_LOCK = 7 };                             /* AUTO_LOCK: in seconds; 0: off */
#define MOST INT64_C(9007199254740991)
struct credential { char name[23]; bool once; int64_t start, end; }; /* name: c of a card or p of a passcode, and its number */
struct event { int64_t seq, acknowledged; char text[264]; };         /* text: as it is sent */
struct command { char id[104], reply[896]; int64_t expires; unsigned connection; bool under_way; }; /* id: in quotes, 96 bytes at most */
/* memory.c: what survives a loss of power. Change it in place, and then keep it. */
extern struct memory {
  char key[65], epoch[9];
  int32_t settings[AUTO_LOCK + 1];
  struct credential credentials[CARDS + PASSCODES + 1]; /* sorted by name; behind the last is one without */
} memory;
extern int64_t memory_last_seq, memory_acknowledged; /* of the events; all up to the latter have had their PUBACK */
void memory_open(void);
bool memory_keep(void);                              /* true: it is flushed; false: it could not be, and is as it was before */
struct credential *memory_place(const char *name);   /* where it is, or would be. "d": behind the cards; "q": behind all */
void memory_remove(const char *name);
int memory_digest(bool cards, char digest[17]);      /* of the cards alone, or of all; returns how many they are */
void memory_add_event(const char *type, const char *reason, const char *credential, const char *command);
bool memory_event(int64_t seq, struct event *event); /* false: it has given way */
void memory_random_text(char *out, size_t size);     /* size - 1 characters of base64url */
/* door.c: bolt, reader, keypad, thumb turn and timer. The bolt moves only through this file. */
bool door_unlocked(void);                            /* where the bolt is, or was before it began to move */
void door_move(bool unlock, const char *by, const char *name, struct command *command); /* name "", command NULL: none */
void door_arm_auto_lock(void);
int64_t door_tick(int64_t now);                      /* after how many milliseconds it wants to be called again */
/* talk.c: the connection, and the one message that is being written: text is added to it until it is said, taken or summed. */
extern unsigned talk_connection;                     /* its number: the next one has another */
extern char talk_session[17];
void talk_add(const char *format, ...);
int talk_say(const char *channel);                   /* the id of its PUBACK; 0: it is not sent */
void talk_take(char *out, size_t size);
void talk_sum(char sum[17]);                         /* the first 16 hex digits of its SHA-256 */
void talk_report(const char *channel);               /* "state" or "battery" */
bool talk_resend(struct command *command, int64_t from, int64_t to); /* false: another one is under way */
/* commands.c: the end of a command; error "": it is done. What the message has already is part of the reply, and ends with a comma. */
void command_add_settings(void);
void command_end(struct command *command, const char *error);
