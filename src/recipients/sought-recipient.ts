/** Whom a search is about: an email address or phone number in normalised form, or parts of a postal address. */
export type SoughtRecipient = { contact: string } | { address: readonly string[] };

/** The parts of an address, which lines and commas separate, as they are compared: without case, spaces and punctuation. */
export function addressParts(text: string): string[] {
  const parts = text.split(/[\n,]/).map((part) =>
    part
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, ''),
  );
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** Whether every part that is sought is a part of the address: a name and a postcode are enough to find it. */
export function isAddressOf(address: string, sought: readonly string[]): boolean {
  const parts = new Set(addressParts(address));
  return sought.every((part) => parts.has(part));
}

/** The longest part that a database compares as we do, whatever its locale. */
export function comparablePart(sought: readonly string[]): string {
  const plain = sought.filter((part) => /^[a-z0-9]+$/.test(part));
  return plain.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}
