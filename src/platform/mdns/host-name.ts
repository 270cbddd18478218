// What a host is called.

/** Dots between labels of 1 to 63 characters, 253 in all; an underscore may begin one (as in some local networks), and no wildcard is one. */
const pattern = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]{0,61}[a-z\d])?(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d])?)*$/i;

/** Whether it is a host name that a certificate may be for. */
export function isHostName(name: string): boolean {
  return pattern.test(name);
}
