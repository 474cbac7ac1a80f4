import { LRUCache } from 'lru-cache';
import type { Country } from '../../countries/country.ts';
import type { Header, SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { buildRow, type Columns, planColumns, type Row } from '../../recipients/spreadsheet/columns.ts';
import { countLanguage, type RowCounts } from '../../recipients/spreadsheet/file-problems.ts';
import { RowCheck } from '../../recipients/spreadsheet/row-check.ts';
import { languageReader } from '../../recipients/spreadsheet/row-language.ts';
import {
  type CheckedRow,
  contactListTemplate,
  type RecipientPermissions,
  type RowTemplate,
} from '../../recipients/spreadsheet/row-problems.ts';
import { timeZoneReader } from '../../recipients/spreadsheet/row-time-zone.ts';
import { rowProblemTexts } from '../../recipients/spreadsheet/spreadsheet-problems.ts';
import {
  type CompiledTemplate,
  compileTemplate,
  contentProblems,
  type TemplateSource,
} from '../../rendering/template.ts';
import { type ChosenLanguage, chooseLanguage } from '../../templates/languages/languages.ts';
import type { FileLanguages, FileTexts } from './file-texts.ts';

export interface TemplateToCheck {
  /** Tells templates apart: the same key means the same texts. */
  key: string;
  texts: FileTexts;
  postage: string | null;
  /** Placeholders whose value is a file of the template. */
  files: string[];
  /** What texts begin with, if it counts towards their length. */
  prefix: string | null;
  /** What texts begin with when they are sent. */
  sentPrefix: string | null;
  /** Whether a column may have the time zone of the recipient. */
  readsTimeZones: boolean;
}

interface ContactList {
  contactList: 'sms' | 'email';
}

interface TextCheck {
  template: RowTemplate;
  check: RowCheck;
}

interface RowResult {
  checked: CheckedRow;
  template: RowTemplate;
  language: string | null;
}

function problemOf(kind: 'unknown-language' | 'unknown-time-zone', column: string | null) {
  return { column, kind, message: rowProblemTexts[kind] };
}

/** A file has few languages. The limit is for a file with another mistake in each row. */
const maxKnown = 1_000;

/** Checks each row of a file against the text that it gets. */
export class RowTexts {
  readonly columns: Columns;
  private readonly own: TextCheck;
  private readonly languages: FileLanguages | undefined;
  private readonly readLanguage: ((row: Row) => string | undefined) | undefined;
  private readonly readTimeZone: ReturnType<typeof timeZoneReader>;
  private readonly known = new Map<string | undefined, ChosenLanguage>();
  private readonly checks = new Map<string | null, TextCheck>();
  private readonly checkOf: (language: string | null) => TextCheck;

  constructor(
    country: Country,
    header: Header,
    against: TemplateToCheck | ContactList,
    permissions: RecipientPermissions,
  ) {
    const isList = 'contactList' in against;
    const template = isList ? contactListTemplate(against.contactList) : rowTemplate(against, null, against.texts.own);
    const languages = isList ? undefined : against.texts.languages;
    this.columns = languages
      ? planColumns(header, template.channel, languages.every, languages.some)
      : planColumns(header, template.channel, template.placeholders);
    this.own = { template, check: new RowCheck(country, header, template, permissions, this.columns) };
    this.checks.set(null, this.own);
    this.languages = languages;
    this.readLanguage =
      languages && languageReader(this.columns, languages.field, [...languages.every, ...languages.some]);
    this.readTimeZone = !isList && against.readsTimeZones ? timeZoneReader(this.columns) : undefined;
    this.checkOf = (language) => {
      const source = language === null ? undefined : languages?.sources[language];
      if (isList || !source) throw new Error(`The template has no text in ${language}`);
      const text = rowTemplate(against, language, source);
      return { template: text, check: new RowCheck(country, header, text, permissions, this.columns) };
    };
  }

  /** Checks a row, and counts its language. */
  check(index: number, cells: readonly SheetCell[], counts: RowCounts): RowResult & { zone: string | undefined } {
    const row = buildRow(this.columns, cells);
    const { checked, template, language } = this.checkRow(index, row, counts);
    const { zone, wrongIn } = this.readTimeZone?.(row) ?? {};
    if (wrongIn !== undefined) checked.problems.push(problemOf('unknown-time-zone', wrongIn));
    return { checked, template, language, zone };
  }

  private checkRow(index: number, row: Row, counts: RowCounts): RowResult {
    const { own, languages, readLanguage } = this;
    if (!languages || !readLanguage) {
      return { checked: own.check.checkRow(index, row), template: own.template, language: null };
    }
    const { language, isUnknown } = this.choose(languages, readLanguage(row) ?? languages.preset);
    const { check, template } = this.checks.get(language) ?? this.checkOf(language);
    this.checks.set(language, { check, template });
    const checked = check.checkRow(index, row);
    if (isUnknown && languages.refuse_unknown) checked.problems.push(problemOf('unknown-language', null));
    countLanguage(counts, language ?? languages.default, isUnknown);
    return { checked, template, language };
  }

  private choose(languages: FileLanguages, asked: string | undefined): ChosenLanguage {
    const before = this.known.get(asked);
    if (before) return before;
    const chosen = chooseLanguage(languages, asked);
    if (this.known.size < maxKnown) this.known.set(asked, chosen);
    return chosen;
  }
}

const compiled = new LRUCache<string, CompiledTemplate>({ max: 40 });

function rowTemplate(
  { key, files, prefix, sentPrefix }: TemplateToCheck,
  language: string | null,
  source: TemplateSource,
): RowTemplate {
  const keyOfText = `${language ?? ''} ${key} ${source.condition_words?.yes ?? ''}`;
  const template = compiled.get(keyOfText) ?? compileTemplate(source);
  compiled.set(keyOfText, template);
  const fileKeys = new Set(files.map(comparableKey));
  const fileNames = Object.fromEntries(files.map((name) => [name, name]));
  return {
    channel: source.template_type,
    placeholders: template.placeholders.filter((name) => !fileKeys.has(comparableKey(name))),
    ...(template.conditions.length > 0
      ? { unclear: (values) => template.unclear(values), refusesUnclear: source.condition_words !== undefined }
      : {}),
    contentProblems: (values) =>
      contentProblems(template, files.length > 0 ? { ...values, ...fileNames } : values, prefix),
    ...(template.template_type === 'sms'
      ? {
          isLossy: (values) => template.lostCharacters(values).length > 0,
          countParts: (values) => template.render(values, { prefix: sentPrefix }).fragments,
        }
      : {}),
  };
}
