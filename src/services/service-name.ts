import { forApi, type Text, t } from '../language/text.ts';

/**
 * Normalises a name to detect duplicates and to derive the mailbox that a service sends from: drops accents, case and
 * punctuation, and replaces spaces with dots.
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

const withoutMailbox = forApi('Must contain a letter or a digit.', t('Enter a name with a letter or a digit.'));

/** A name of punctuation only gives an empty mailbox. */
export function refusalOfServiceName(name: string): Text | undefined {
  return normalisedName(name) === '' ? withoutMailbox : undefined;
}

/** Returns the mailbox that a service sends from, derived from its custom sender name or its name. */
export function emailSenderLocalPart(name: string, customSenderName: string | null | undefined): string {
  return normalisedName(customSenderName ?? '') || normalisedName(name);
}
