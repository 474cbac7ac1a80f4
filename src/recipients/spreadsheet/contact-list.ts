import { comparableKey } from '../../protocol/comparable-key.ts';
import { recipientColumnNames } from './columns.ts';
import type { RowTemplate } from './row-problems.ts';
import type { Header } from './sheet.ts';

/** The channel of a contact list, by its only column; undefined if the file cannot be one. */
export function findContactListChannel({ names }: Header): 'sms' | 'email' | undefined {
  const named = names.map(comparableKey).filter((key) => key !== '');
  if (named.length !== 1) return undefined;
  return (['sms', 'email'] as const).find(
    (channel) => recipientColumnNames[channel].map(comparableKey)[0] === named[0],
  );
}

/** A contact list is checked as if it were sent with a template without placeholders. */
export function contactListTemplate(channel: 'sms' | 'email'): RowTemplate {
  return { channel, placeholders: [], contentProblems: () => [] };
}
