import type { Platform } from '../platform/platform.ts';
import type { Visitor } from './sessions/visitor.ts';

const purpose = 'console:search';

/**
 * What a person searched for, encrypted for this person: a search is posted and then part of addresses, which reach logs and
 * histories, and it often names a recipient.
 */
export function keepSearch({ secrets }: Platform, { user }: Visitor, text: string): string {
  return text === '' ? '' : secrets.encrypt(purpose, text, user.id);
}

export function readSearch({ secrets }: Platform, { user }: Visitor, kept: string): string {
  return (kept && secrets.decrypt(purpose, kept, user.id)?.toString()) || '';
}
