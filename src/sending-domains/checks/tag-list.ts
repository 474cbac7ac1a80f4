/**
 * Parses `name=value; name=value`, the format of DKIM and DMARC records (RFC 6376, section 3.2). Names are case-sensitive. Returns
 * undefined if a name occurs twice, which invalidates the whole list. Entries without a name are ignored.
 */
export function parseTags(text: string): Map<string, string> | undefined {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const [, name = '', value = ''] = /^\s*([^\s=]+)\s*=(.*)$/s.exec(part) ?? [];
    if (name === '') continue;
    if (tags.has(name)) return undefined;
    tags.set(name, value.trim());
  }
  return tags;
}

/** `email:*` */
export function listOf(value: string): string[] {
  return value.split(':').map((item) => item.trim().toLowerCase());
}
