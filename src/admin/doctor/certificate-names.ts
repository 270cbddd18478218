// Checks whether the certificate contains the names by which clients reach this machine.
import type { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { fail, good, type Verdict, warn } from './verdict.ts';

/** The answer of the network's name service; [] when it does not know the name or does not answer. */
export type AddressesOf = (name: string) => Promise<readonly string[]>;

const patienceMs = 3_000;
const loopback = /^(localhost|127\..*|::1)$/;

/** For latchd's own certificate: `names` are all names that it should contain. */
export function checkOwnNames(what: string, certificate: X509Certificate, names: readonly string[]): readonly Verdict[] {
  const missing = names.filter((name) => !isFor(certificate, name));
  if (missing.length === 0) return [];
  const remedy = 'it is made anew by sudo systemctl reload latchd, or by the next start';
  return [warn(`${what} is not for ${missing.join(', ')}: clients that use that refuse it`, remedy)];
}

/** For a certificate from somebody else: it should contain one name or address of this machine, or a name that leads here. */
export async function checkGivenNames(
  certificate: X509Certificate,
  ownNames: readonly string[],
  addressesOf: AddressesOf = askNameService,
): Promise<Verdict> {
  const all = (certificate.subjectAltName ?? '').split(', ').flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? []);
  const anew = 'get one for the name that clients use';
  if (all.length === 0) return fail('the certificate names nobody (no subjectAltName): clients refuse it', anew);
  const own = ownNames.filter((name) => !loopback.test(name));
  if (own.some((name) => isFor(certificate, name))) return good(`it is for this machine: ${all.join(', ')}`);
  const leading = await Promise.all(all.filter((name) => isIP(name) === 0).map(async (name) => ({ name, to: await addressesOf(name) })));
  const here = leading.find(({ to }) => to.some((address) => own.includes(address)));
  if (here !== undefined) return good(`it is for ${here.name}, which leads to this machine`);
  const remedy = `${anew}, or let one of its names lead here in the network's DNS; fine as it is when a router or a proxy hands connections on`;
  return warn(`it is for ${all.join(', ')}, and none of that is this machine, or leads to it`, remedy);
}

function isFor(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}

export const askNameService: AddressesOf = async (name) => {
  const tooLate = new Promise<[]>((resolve) => setTimeout(resolve, patienceMs, []).unref());
  const found = await Promise.race([lookup(name, { all: true }).catch(() => []), tooLate]);
  return found.map(({ address }) => address);
};
