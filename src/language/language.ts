import { type MessageFormatElement, parse } from '@formatjs/icu-messageformat-parser';

/** Translations by key. */
export interface Catalogue {
  get(key: string): string | undefined;
}

interface LanguageOptions {
  /** BCP 47, such as `fr` or `fr-CA`. */
  tag: string;
  /** How numbers and dates are written, where that differs from the language: `en-GB` of English. */
  locale?: string;
  catalogue: Catalogue;
  /** Asked for what the catalogue lacks. English has none: its texts are the keys. */
  fallback?: Language;
  /** Changes what Intl writes: names, days, the words between the parts of a list. For tests, which then see where it comes from. */
  change?: (text: string) => string;
}

/** Scripts that are written from right to left. */
const rightToLeft = ['Adlm', 'Arab', 'Aran', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa'];

/** Between context and text, as in the files of gettext. */
const contextEnd = '\u0004';

export function keyOf(text: string, context?: unknown): string {
  return typeof context === 'string' ? `${context}${contextEnd}${text}` : text;
}

export function textOfKey(key: string): string {
  return key.slice(key.indexOf(contextEnd) + 1);
}

type DayOptions = Pick<Intl.DateTimeFormatOptions, 'weekday' | 'day' | 'month' | 'year'>;

const englishMonths = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Writes days, such as 2026-11-15, in the words of a language. A day is the same in every zone. */
class Dates {
  readonly locale: string;
  private readonly isEnglish: boolean;
  private readonly change: (text: string) => string;
  private readonly formats = new Map<string, Intl.DateTimeFormat>();

  constructor(locale: string, change: (text: string) => string) {
    this.change = change;
    this.isEnglish = new Intl.Locale(locale).language === 'en';
    // Every English reads days as they are spoken: "15 November 2026".
    this.locale = this.isEnglish ? 'en-GB' : locale;
  }

  /** "15 Nov" */
  dayAndMonth(day: string): string {
    return this.isEnglish ? this.change(inEnglish(day)) : this.write(day, { day: 'numeric', month: 'short' });
  }

  /** "15 Nov 2026" */
  short(day: string): string {
    if (this.isEnglish) return `${this.dayAndMonth(day)} ${Number(day.slice(0, 4))}`;
    return this.write(day, { day: 'numeric', month: 'short', year: 'numeric' });
  }

  /** "15 November 2026" */
  long(day: string): string {
    return this.write(day, { day: 'numeric', month: 'long', year: 'numeric' });
  }

  /** "Sunday 15 Nov" */
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

/** Three letters for each month: Intl writes "Sept". */
function inEnglish(day: string): string {
  const [, month, date] = day.split('-').map(Number);
  return `${date} ${englishMonths[(month ?? 1) - 1]}`;
}

/** A language with its translations and everything that depends on it, made once per process. */
export class Language {
  readonly tag: string;
  readonly locale: string;
  readonly direction: 'ltr' | 'rtl';
  /** In the language itself: "Français". */
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
  private readonly names = new Map<NamedThing, Intl.DisplayNames>();
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

  /** The translation, or the English text itself; parsed once, unless it has no values. */
  read(text: string, context?: unknown): string | MessageFormatElement[] {
    const key = keyOf(text, context);
    const found = this.parsed.get(key);
    if (found !== undefined) return found;
    const parsed = parseMessage(this.find(key) ?? text);
    this.parsed.set(key, parsed);
    return parsed;
  }

  count(amount: number): string {
    return this.counts.get(amount) ?? keep(this.counts, amount, this.numbers.format(amount + 0));
  }

  /** "a, b and c" */
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

  /** The name of a language, a currency or a region. The code itself where there is none. */
  nameOf(type: NamedThing, code: string): string {
    let names = this.names.get(type);
    if (!names) {
      names = new Intl.DisplayNames(this.locale, { type });
      this.names.set(type, names);
    }
    return this.change(names.of(code) ?? code);
  }

  /** The name of a zone in a country. Every English writes it as Britons do. */
  nameOfZone(zone: { zoneName(country: string, language: string): string }, country: string): string {
    return this.change(zone.zoneName(country, this.dates.locale));
  }

  /** The plural forms that a translation needs. */
  get categories(): Intl.LDMLPluralRule[] {
    return new Intl.PluralRules(this.locale).resolvedOptions().pluralCategories;
  }

  plural(amount: number, type: Intl.PluralRuleType = 'cardinal'): Intl.LDMLPluralRule {
    let rules = this.rules.get(type);
    if (!rules) {
      rules = { rules: new Intl.PluralRules(this.locale, { type }), forms: new Map() };
      this.rules.set(type, rules);
    }
    return rules.forms.get(amount) ?? keep(rules.forms, amount, rules.rules.select(amount));
  }
}

interface Rules {
  rules: Intl.PluralRules;
  forms: Map<number, Intl.LDMLPluralRule>;
}

/** Most numbers on pages are small, and Intl takes longer for one than the rest of its message. */
function keep<Kept>(known: Map<number, Kept>, amount: number, kept: Kept): Kept {
  if (amount >= 0 && amount < 1_000 && Number.isInteger(amount)) known.set(amount, kept);
  return kept;
}

type NamedThing = 'language' | 'currency' | 'region';

export type ListKind = 'conjunction' | 'disjunction';

/** What has no syntax of messages is the text itself. */
export function parseMessage(text: string): string | MessageFormatElement[] {
  // Copied, since what the parser leaves takes twice the memory.
  return /[{}<']/.test(text) ? JSON.parse(JSON.stringify(parse(text))) : text;
}

const ofSource = { tag: 'en', locale: 'en-GB', catalogue: new Map() };

/** The language of the texts in the source. */
export const english = new Language(ofSource);

/** The same for whatever people do not read: sentences of the contract stay as they are. */
export const englishForPrograms = new Language(ofSource);
