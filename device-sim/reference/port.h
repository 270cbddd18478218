/* Between the lock and its hardware. README.md says more of each; port-linux.c is the port to Linux. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The port offers, for the lock to call. None of these calls back. ---- */
int64_t port_uptime(void);                  /* milliseconds that only rise, also while the processor sleeps */
int64_t port_clock(void);                   /* milliseconds since 1970-01-01T00:00Z; 0 while the clock is not set */
void port_set_clock(int64_t now);           /* must not move port_uptime */
void port_random(void *bytes, size_t size); /* from a source that is good enough for keys */
void port_sha256(const void *bytes, size_t size, uint8_t out[32]);
void port_log(const char *format, ...);     /* for people; a lock without a display may drop it */
/* Named records (names of at most 15 characters) that survive any loss of power. */
long port_load(const char *name, void *value, size_t size);        /* its length, at most size; -1: there is none. Never -1 for a fault */
bool port_store(const char *name, const void *value, size_t size); /* true: flushed, all of it; false: as it was before */
bool port_erase(const char *name);                                 /* true: flushed, and gone (also when there was none) */
#define PORT_BOLT_MS 1000 /* so soon the bolt has arrived, or is back where it came from because something blocked it */
enum port_bolt { PORT_BOLT_LOCKED, PORT_BOLT_UNLOCKED, PORT_BOLT_MOVING };
enum port_bolt port_bolt(void);             /* what the sensors of the bolt say */
void port_bolt_move(bool unlock);           /* begins a movement, and returns at once */
int port_battery(void);                     /* percent */

/* One connection at a time. Opening throws away the one before with all that it had not sent, connects with a will (Protocol 2), and
   subscribes to the commands. Within seconds comes lock_on_subscribed or lock_on_disconnected. */
void port_mqtt_open(const char *key);
void port_mqtt_close(void);
int port_mqtt_publish(const char *channel, const char *text, bool retain); /* QoS 1; returns the id of its PUBACK; 0: it could not */

/* ---- The lock offers, for the port to call, one after the other and never from an interrupt. ---- */
void lock_start(void);
int64_t lock_tick(void);                    /* call it after each call below, and so many milliseconds later at the latest */
void lock_on_subscribed(bool granted);      /* SUBACK; false: 0x80 */
void lock_on_command(const char *text);     /* ends with a 0 byte, as every text */
void lock_on_puback(int id);
void lock_on_disconnected(void);            /* refused, broken off, or never up */
void lock_on_presented(char kind, const char *digits); /* 'c': a card with this number is at the reader; 'p': a code at the keypad */
void lock_on_thumb_turn(void);              /* somebody has moved the bolt by hand; port_bolt says where it is */
void lock_on_factory_reset(void);           /* somebody has held the reset button */
