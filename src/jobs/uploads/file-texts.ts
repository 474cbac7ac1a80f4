import type { Country } from '../../countries/country.ts';
import type { SendingService } from '../../notifications/sending/sending-service.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { languageColumns } from '../../recipients/spreadsheet/row-language.ts';
import { timeZoneColumn } from '../../recipients/spreadsheet/row-time-zone.ts';
import type { TemplateSource } from '../../rendering/template.ts';
import { type LanguageTags, languagesInUse } from '../../templates/languages/languages.ts';
import { compileRow, sourceOf, type TemplateRow } from '../../templates/template-row.ts';

/** The texts of a template for the rows of a file, as a value that can be passed to a thread. */
export interface FileTexts {
  own: TemplateSource;
  /** Undefined for a template in one language. */
  languages: FileLanguages | undefined;
}

export interface FileLanguages extends LanguageTags {
  field: string | null;
  refuse_unknown: boolean;
  /** The language of rows that do not name one. */
  preset: string | undefined;
  /** Placeholders of all texts, and those of only some: without their values, a row can still have all it needs. */
  every: string[];
  some: string[];
  sources: Record<string, TemplateSource>;
}

export function textsOf(country: Country, row: TemplateRow, preset: string | null): FileTexts {
  const contactBlock = row.template_type === 'letter' ? row.reply_to_text : null;
  const own = sourceOf(row, contactBlock, country, null);
  const languages = languagesInUse(row);
  if (!languages) return { own, languages: undefined };
  const { default: defaultLanguage, field, refuse_unknown, variants } = languages;
  const { every, some } = placeholdersOf(row);
  const sources = variants.map(({ language }) => [language, sourceOf(row, contactBlock, country, language)]);
  return {
    own,
    languages: {
      default: defaultLanguage,
      ...{ field, refuse_unknown, preset: preset ?? undefined },
      variants: variants.map(({ language }) => ({ language })),
      every,
      some,
      sources: Object.fromEntries(sources),
    },
  };
}

/** Omits placeholders whose value is a file of the template. */
export function placeholdersOf(row: TemplateRow): { every: string[]; some: string[] } {
  const files = new Set(row.email_files.map(({ filename }) => comparableKey(filename)));
  const tags = [null, ...(languagesInUse(row)?.variants ?? []).map(({ language }) => language)];
  const names = new Map<string, { name: string; count: number }>();
  for (const language of tags) {
    for (const name of compileRow(row, row.reply_to_text, undefined, language).placeholders) {
      const known = names.get(comparableKey(name)) ?? { name, count: 0 };
      names.set(comparableKey(name), { ...known, count: known.count + 1 });
    }
  }
  const all = [...names].flatMap(([key, known]) => (files.has(key) ? [] : [known]));
  const named = (isWanted: (count: number) => boolean) =>
    all.filter(({ count }) => isWanted(count)).map(({ name }) => name);
  return { every: named((count) => count === tags.length), some: named((count) => count < tags.length) };
}

/** Columns that can choose the language of a row, for files whose rows name their own. */
export function languageColumnsOf(row: TemplateRow): string[] {
  const languages = languagesInUse(row);
  if (!languages) return [];
  return languages.field === null ? languageColumns : [languages.field, ...languageColumns];
}

/** The column of recipients' time zones: of services whose messages may have to wait, if no placeholder has that name. */
export function timeZoneColumnsOf(
  { sending_times }: Pick<SendingService, 'sending_times'>,
  row: TemplateRow,
): string[] {
  if (sending_times === null || row.template_type === 'letter') return [];
  const { every, some } = placeholdersOf(row);
  return [...every, ...some].some((name) => comparableKey(name) === comparableKey(timeZoneColumn))
    ? []
    : [timeZoneColumn];
}
