import { type MessageFormatElement, parse } from '@formatjs/icu-messageformat-parser';

/** Translations by key. */
export interface Catalogue {
  get(key: string): string | undefined;
}

interface LanguageOptions {
  /** A BCP 47 tag such as `fr` or `fr-CA`. */
  tag: string;
  /** The locale for numbers and dates, if it differs from the tag: `en-GB` for English. */
  locale?: string;
  catalogue: Catalogue;
  /** Provides texts that the catalogue lacks. English has none, because its texts are the keys. */
  fallback?: Language;
  /** Changes the output of Intl: names, days, the words in lists. Tests use it to recognise such output. */
  change?: (text: string) => string;
}

/** Right-to-left scripts. */
const rightToLeft = ['Adlm', 'Arab', 'Aran', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa'];

/** Separates context and text, as in gettext files. */
const contextEnd = '\u0004';

export function keyOf(text: string, context?: unknown): string {
  return typeof context === 'string' ? `${context}${contextEnd}${text}` : text;
}

export function textOfKey(key: string): string {
  return key.slice(key.indexOf(contextEnd) + 1);
}

type DayOptions = Pick<Intl.DateTimeFormatOptions, 'weekday' | 'day' | 'month' | 'year'>;

const englishMonths = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats days, such as 2026-11-15, in a language. A day is the same in every zone. */
class Dates {
  readonly locale: string;
  private readonly isEnglish: boolean;
  private readonly change: (text: string) => string;
  private readonly formats = new Map<string, Intl.DateTimeFormat>();

  constructor(locale: string, change: (text: string) => string) {
    this.change = change;
    this.isEnglish = new Intl.Locale(locale).language === 'en';
    // Every kind of English uses the spoken order: "15 November 2026".
    this.locale = this.isEnglish ? 'en-GB' : locale;
  }

  /** Returns "15 Nov". */
  dayAndMonth(day: string): string {
    return this.isEnglish ? this.change(inEnglish(day)) : this.write(day, { day: 'numeric', month: 'short' });
  }

  /** Returns "15 Nov 2026". */
  short(day: string): string {
    if (this.isEnglish) return `${this.dayAndMonth(day)} ${Number(day.slice(0, 4))}`;
    return this.write(day, { day: 'numeric', month: 'short', year: 'numeric' });
  }

  /** Returns "15 November 2026". */
  long(day: string): string {
    return this.write(day, { day: 'numeric', month: 'long', year: 'numeric' });
  }

  /** Returns "Sunday 15 Nov". */
  weekdayAndDay(day: string): string {
    if (this.isEnglish) return `${this.write(day, { weekday: 'long' })} ${this.dayAndMonth(day)}`;
    return this.write(day, { weekday: 'long', day: 'numeric', month: 'short' });
  }

  write(day: string, options: DayOptions): string {
    const key = Object.entries(options).join();
    let format = this.formats.get(key);
    if (!format) {
      format = new Intl.DateTimeFormat(this.locale, { ...options, timeZone: 'UTC' });
      this.formats.set(key, format);
    }
    return this.change(format.format(new Date(`${day}T00:00:00Z`)));
  }
}

/** Uses three letters for each month, because Intl writes "Sept". */
function inEnglish(day: string): string {
  const [, month, date] = day.split('-').map(Number);
  return `${date} ${englishMonths[(month ?? 1) - 1]}`;
}

/** A language with its translations and formatters, created once per process. */
export class Language {
  readonly tag: string;
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  /** The language's own name for itself: "Français". */
  readonly ownName: string;
  readonly collator: Intl.Collator;
  readonly dates: Dates;
  private readonly catalogue: Catalogue;
  private readonly fallback: Language | undefined;
  private readonly parsed = new Map<string, string | MessageFormatElement[]>();
  private readonly rules = new Map<Intl.PluralRuleType, Rules>();
  private readonly numbers: Intl.NumberFormat;
  private readonly counts = new Map<number, string>();
  private readonly lists = new Map<ListKind, Intl.ListFormat>();
  private readonly names = new Map<DisplayNameType, Intl.DisplayNames>();
  private readonly change: (text: string) => string;

  constructor({ tag, locale = tag, catalogue, fallback, change = (text) => text }: LanguageOptions) {
    this.tag = tag;
    this.locale = locale;
    this.direction = rightToLeft.includes(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr';
    const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
    this.ownName = change(name.charAt(0).toLocaleUpperCase(tag) + name.slice(1));
    this.collator = new Intl.Collator(tag);
    this.change = change;
    this.dates = new Dates(locale, change);
    this.catalogue = catalogue;
    this.fallback = fallback;
    this.numbers = new Intl.NumberFormat(locale);
  }

  find(key: string): string | undefined {
    return this.catalogue.get(key) ?? this.fallback?.find(key);
  }

  /** Returns the translation or the English text, parsed and cached; a text without values stays a string. */
  read(text: string, context?: unknown): string | MessageFormatElement[] {
    const key = keyOf(text, context);
    const found = this.parsed.get(key);
    if (found !== undefined) return found;
    const parsed = parseMessage(this.find(key) ?? text);
    this.parsed.set(key, parsed);
    return parsed;
  }

  count(amount: number): string {
    return this.counts.get(amount) ?? cacheSmall(this.counts, amount, this.numbers.format(amount + 0));
  }

  /** Returns "a, b and c". */
  list(parts: readonly string[], kind: ListKind = 'conjunction'): string {
    let format = this.lists.get(kind);
    if (!format) {
      format = new Intl.ListFormat(this.locale, { type: kind });
      this.lists.set(kind, format);
    }
    return format
      .formatToParts(parts)
      .map(({ type, value }) => (type === 'literal' ? this.change(value) : value))
      .join('');
  }

  /** Returns the name of a language, currency or region, or the code itself if it has none. */
  nameOf(type: DisplayNameType, code: string): string {
    let names = this.names.get(type);
    if (!names) {
      names = new Intl.DisplayNames(this.locale, { type });
      this.names.set(type, names);
    }
    return this.change(names.of(code) ?? code);
  }

  /** Returns the name of a zone in a country. All kinds of English use the British name. */
  nameOfZone(zone: { zoneName(country: string, language: string): string }, country: string): string {
    return this.change(zone.zoneName(country, this.dates.locale));
  }

  /** The plural forms that a translation must have. */
  get categories(): Intl.LDMLPluralRule[] {
    return new Intl.PluralRules(this.locale).resolvedOptions().pluralCategories;
  }

  plural(amount: number, type: Intl.PluralRuleType = 'cardinal'): Intl.LDMLPluralRule {
    let rules = this.rules.get(type);
    if (!rules) {
      rules = { rules: new Intl.PluralRules(this.locale, { type }), forms: new Map() };
      this.rules.set(type, rules);
    }
    return rules.forms.get(amount) ?? cacheSmall(rules.forms, amount, rules.rules.select(amount));
  }
}

interface Rules {
  rules: Intl.PluralRules;
  forms: Map<number, Intl.LDMLPluralRule>;
}

/** Caches formatted numbers: most numbers on pages are small, and formatting one takes longer than the rest of its message. */
function cacheSmall<T>(known: Map<number, T>, amount: number, kept: T): T {
  if (amount >= 0 && amount < 1_000 && Number.isInteger(amount)) known.set(amount, kept);
  return kept;
}

type DisplayNameType = 'language' | 'currency' | 'region';

export type ListKind = 'conjunction' | 'disjunction';

/** Returns a text without message syntax unchanged. */
export function parseMessage(text: string): string | MessageFormatElement[] {
  // Copied, because the parser's result takes twice the memory.
  return /[{}<']/.test(text) ? JSON.parse(JSON.stringify(parse(text))) : text;
}

const ofSource = { tag: 'en', locale: 'en-GB', catalogue: new Map() };

/** The language of the texts in the source. */
export const english = new Language(ofSource);

/** English for programs: sentences of the API contract stay unchanged. */
export const englishForPrograms = new Language(ofSource);
