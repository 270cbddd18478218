// Where the build puts what the program finds by its path. The files of the bundle are in the folder of this one (vite.daemon.config.ts), so that
// paths count from the same place.
import { fileURLToPath } from 'node:url';

/** The directory of the built console. */
export const consoleDirectory = fileURLToPath(new URL('../../console', import.meta.url));

/** The directory of the compressed files that the page at /docs loads. */
export const apiPageDirectory = fileURLToPath(new URL('../../docs', import.meta.url));

/** The program of the thread that answers multicast DNS. */
export const discoveryThread = new URL('../platform/mdns/discovery-thread.js', import.meta.url);

/** The program of the thread that computes the hashes of passwords. */
export const passwordThread = new URL('../platform/password-thread.js', import.meta.url);
