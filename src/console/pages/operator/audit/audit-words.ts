import type { AuditEntry } from '../../../../operations/audit/audit-log.ts';

export const actionWords: Record<AuditEntry['action'], string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  find: 'looked for',
  export: 'exported',
  erase: 'erased',
};

const abbreviations = new Map([
  ['api', 'API'],
  ['sms', 'SMS'],
  ['webauthn', 'WebAuthn'],
]);

/** "api_key" becomes "API key". */
export function nounWords(noun: string): string {
  return noun
    .split('_')
    .map((word) => abbreviations.get(word) ?? word)
    .join(' ');
}

export function withArticle(noun: string): string {
  const words = nounWords(noun);
  return `${/^([aeio]|SMS)/i.test(words) ? 'an' : 'a'} ${words}`;
}

/** What the entry says about who did it. */
export function actorWords({ actor_type, user_name, client }: AuditEntry): string {
  switch (actor_type) {
    case 'user':
      return user_name ?? 'A person';
    case 'admin_client':
      return `Client ${client}`;
    case 'api_key':
      return `API key ${client}`;
    case 'command':
      return `Command ${client}`;
    case 'visitor':
      return 'Somebody not signed in';
  }
}

/** The name of the thing, where it has one. */
export function nameOfThing({ before, after }: AuditEntry): string | undefined {
  const fields = { ...before, ...after };
  const name = fields.name ?? fields.email_address ?? fields.display_name;
  return typeof name === 'string' ? name : undefined;
}

/** The fields that changed, by name. */
export function changedFields({ before, after }: AuditEntry): string[] {
  return Object.keys({ ...before, ...after }).sort();
}

/** A value of a field, as text. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
