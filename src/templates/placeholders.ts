import type { TemplateRow } from './template-row.ts';

/** Names in the order in which a missing one is reported. */
export function placeholdersOf(row: TemplateRow): string[] {
  const names = new Map<string, string>();
  for (const text of textsOf(row)) {
    for (const [, body = ''] of text?.matchAll(/\(\(([^()]+)\)\)/g) ?? []) {
      const name = body.split('??', 1)[0] ?? '';
      const key = name.replaceAll(/[ _-]/g, '').toLowerCase();
      if (!names.has(key)) names.set(key, name);
    }
  }
  return [...names.values()];
}

function textsOf(row: TemplateRow): (string | null)[] {
  if (row.template_type === 'sms') return [row.content];
  if (row.template_type === 'email') return [row.subject, row.content];
  return [row.reply_to_text, row.letter_welsh_subject, row.letter_welsh_content, row.subject, row.content];
}
