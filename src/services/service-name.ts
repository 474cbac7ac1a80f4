/**
 * What decides whether two names are too alike, and the mailbox a service sends from: accents, case and punctuation do not
 * count, blanks become dots.
 */
export function normalisedName(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .trim()
    .replaceAll(/\s+/gu, '.')
    .replaceAll(/[^\p{L}\p{N}.]/gu, '')
    .toLowerCase()
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^\.|\.$/g, '');
}

/** A name of punctuation alone would have no mailbox. */
export function refusalOfServiceName(name: string): string | undefined {
  return normalisedName(name) === '' ? 'Must contain a letter or a digit.' : undefined;
}

/** The mailbox a service sends from: its own choice of sender name, else its name. */
export function emailSenderLocalPart(name: string, customSenderName: string | null | undefined): string {
  return normalisedName(customSenderName ?? '') || normalisedName(name);
}
