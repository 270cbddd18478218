// Random secrets, and their hashes.

export interface Secrets {
  /** At least 256 random bits, printable. */
  newToken(): string;
  /** 256 random bits, printable: what a link carries. */
  newLinkSecret(): string;
  /** 48 random bits, printable: a name that says nothing and that people can tell apart. */
  newName(): string;
  /** At least 128 random bits, printable. */
  newDeviceKey(): string;
  /** 20 letters and digits, so at least 119 random bits: a person types it into the app of a device. */
  newDevicePassword(): string;
  /** 128 random bits as 32 hex digits. */
  newHexSecret(): string;
  /** At least 256 random bits, printable: the key that signs a webhook's deliveries. */
  newWebhookSecret(): string;
  /** So many decimal digits, each as likely as any other: the code that a person types at a keypad. */
  newDigits(count: number): string;
  /** SHA-256, 64 hex digits. */
  hash(secret: string): string;
  /** MD5, 32 hex digits: for programs that send this in place of a password. It protects nothing. */
  md5(text: string): string;
  /** Compares two hashes in constant time. */
  equal(hashA: string, hashB: string): boolean;
}
