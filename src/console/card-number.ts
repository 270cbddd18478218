// Card numbers, which are larger than JavaScript's own numbers.

/** 8 bytes. */
const largest = 2n ** 64n - 1n;

/** Whether the gateway accepts the number: 1 to 20 digits, at most 8 bytes. */
export function isCardNumber(text: string): boolean {
  return /^\d{1,20}$/.test(text) && BigInt(text) <= largest;
}

/** The number that a lock with the reverse byte order holds: the bytes reversed, of 4, else 7, else 8 bytes. */
export function reversed(cardNumber: string): string {
  const hex = BigInt(cardNumber).toString(16);
  const bytes = [4, 7, 8].find((count) => hex.length <= 2 * count) ?? 8;
  const pairs = hex.padStart(2 * bytes, '0').match(/../g) ?? [];
  return BigInt(`0x${pairs.reverse().join('')}`).toString();
}
