import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { problemsOfTranslation } from './check-translation.ts';
import { english, Language, textOfKey } from './language.ts';
import { Languages } from './languages.ts';
import { type PoEntry, type PoFile, readPo, readPoHead } from './po.ts';
import { pseudoLanguage, pseudoTags } from './pseudo.ts';

interface Choice {
  /** The tags of the country or of LANGUAGES. The first is the default. */
  tags: readonly string[];
  /** The operator has named them, so unfinished ones are offered too. */
  isNamed: boolean;
  /** The country's locale, which formats numbers in its own language. */
  locale: string;
  /** The folder with the operator's translations. */
  folder?: string | undefined;
}

/** The share of all texts that must be translated before a language is offered. */
const completeFrom = 0.98;

/** Both the source and the compiled files are two folders below the project. */
const shippedFolder = fileURLToPath(new URL('../../languages', import.meta.url));

/** Reads the translation files of an installation. Returns problems instead of throwing. */
export function loadLanguages({ tags, isNamed, locale, folder }: Choice): { languages: Languages; problems: string[] } {
  const files = new PoFiles(folder);
  const offered = tags.flatMap((tag) => {
    const pseudo = pseudoTags.find((one) => one === tag);
    if (pseudo) return pseudoLanguage(pseudo);
    const isOffered = tag === 'en' || files.hasOwn(tag) || (isNamed ? files.has(tag) : files.isFinished(tag));
    if (isNamed && !isOffered) files.problems.push(`LANGUAGES names ${tag}, and there is no file ${tag}.po`);
    if (!isOffered) return [];
    const language = files.language(tag, locale);
    files.problems.push(...problemsOfFile(language, files.own(tag)));
    return language;
  });
  return { languages: new Languages(offered.length > 0 ? offered : [english]), problems: files.problems };
}

/** Checks the operator's messages at startup: one that cannot be formatted would break the page that shows it. */
function problemsOfFile(language: Language, entries: readonly PoEntry[]): string[] {
  return entries.flatMap(({ key, translation, line }) =>
    problemsOfTranslation(language, textOfKey(key), translation).map(
      (problem) => `LANGUAGES_DIR: ${language.tag}.po, line ${line} ${problem}`,
    ),
  );
}

/** Returns the keys in the operator's files that no text has, for example after an update. */
export function findUnknownKeys(folder: string, tags: readonly string[]): string[] {
  const files = new PoFiles(folder);
  const known = new Set(files.texts().map(({ key }) => key));
  return tags.flatMap((tag) => files.own(tag).flatMap(({ key }) => (known.has(key) ? [] : [`${tag}: ${key}`])));
}

class PoFiles {
  readonly problems: string[] = [];
  private readonly folder: string | undefined;
  private readonly files = new Map<string, PoFile | undefined>();

  constructor(folder: string | undefined) {
    this.folder = folder;
    if (folder !== undefined && !existsSync(folder))
      this.problems.push(`LANGUAGES_DIR is ${folder}, which does not exist`);
  }

  /** Returns a language. For `fr-CA`, `fr` provides missing translations. */
  language(tag: string, locale: string): Language {
    const isOfCountry = new Intl.Locale(locale).language === new Intl.Locale(tag).language;
    const parent = tag.replace(/-[^-]*$/, '');
    // The operator's file overrides single translations.
    const entries = [...this.shipped(tag), ...this.own(tag)];
    return new Language({
      tag,
      locale: isOfCountry ? locale : tag,
      catalogue: new Map(entries.map(({ key, translation }) => [key, translation])),
      ...(parent === tag ? {} : { fallback: this.language(parent, locale) }),
    });
  }

  has(tag: string): boolean {
    const parent = tag.replace(/-[^-]*$/, '');
    return this.shipped(tag).length > 0 || (parent !== tag && (this.hasOwn(parent) || this.has(parent)));
  }

  hasOwn(tag: string): boolean {
    return this.own(tag).length > 0;
  }

  isFinished(tag: string): boolean {
    const head = this.parse(join(shippedFolder, `${tag}.po`), readPoHead);
    return Boolean(head?.get('X-Reviewed-By')) && this.shipped(tag).length >= this.texts().length * completeFrom;
  }

  /** Returns every text of the console, as `npm run generate` found them. */
  texts() {
    return this.read(shippedFolder, 'messages', '.pot')?.entries ?? [];
  }

  own(tag: string) {
    return this.folder === undefined ? [] : this.translations(this.folder, tag);
  }

  private shipped(tag: string) {
    return this.translations(shippedFolder, tag);
  }

  /** Returns the translations without drafts, which nobody has reviewed. */
  private translations(folder: string, tag: string) {
    const entries = this.read(folder, tag)?.entries ?? [];
    return entries.filter(({ isDraft, translation }) => !isDraft && translation !== '');
  }

  private read(folder: string, name: string, ending = '.po'): PoFile | undefined {
    const path = join(folder, `${name}${ending}`);
    if (!this.files.has(path)) this.files.set(path, this.parse(path, readPo));
    return this.files.get(path);
  }

  private parse<T>(path: string, parser: (text: string) => T): T | undefined {
    if (!existsSync(path)) return undefined;
    try {
      return parser(readFileSync(path, 'utf8'));
    } catch (error) {
      this.problems.push(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}
