// The form of a host name.

/**
 * Labels of 1 to 63 characters with dots between them, at most 253 in all. A label may begin with an underscore (as in some local
 * networks), and a wildcard is not allowed.
 */
const pattern = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]{0,61}[a-z\d])?(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d])?)*$/i;

/** Whether a certificate may be issued for this host name. */
export function isHostName(name: string): boolean {
  return pattern.test(name);
}
