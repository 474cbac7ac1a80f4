import { canonicalId, isUuid } from '../../platform/id.ts';
import type { FrontMatter } from './front-matter.ts';
import { withLineFeeds } from './template.ts';

export interface FileProblem {
  path: string;
  line: number;
  message: string;
}

type Settings = Pick<FrontMatter, 'values' | 'lines'>;

/** The max length of the server's column. */
export const maxName = 255;

const isSettings = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads setting values and collects their problems. */
export class SettingsReader {
  readonly problems: FileProblem[];
  private readonly path: string;
  private readonly matter: Settings;
  /** The prefix of these settings in `lines`. */
  private readonly prefix: string;

  constructor(path: string, matter: Settings, prefix = '', problems: FileProblem[] = []) {
    this.path = path;
    this.matter = matter;
    this.prefix = prefix;
    this.problems = problems;
  }

  refuse(key: string, message: string): void {
    const { lines } = this.matter;
    const line = lines.get(this.prefix + key) ?? lines.get(this.prefix.slice(0, -1)) ?? 1;
    this.problems.push({ path: this.path, line, message });
  }

  refuseUnless(known: ReadonlySet<string>): void {
    for (const key of this.matter.values.keys()) if (!known.has(key)) this.refuse(key, `Unknown setting ${key}`);
  }

  /** Returns the nested settings; undefined if there are none. */
  inside(key: string): SettingsReader | undefined {
    const value = this.matter.values.get(key) ?? null;
    if (value === null) return undefined;
    if (isSettings(value)) return this.readerOf(key, value);
    this.refuse(key, `${key} must be lines of settings inside it`);
    return undefined;
  }

  list(key: string): SettingsReader[] {
    const value = this.matter.values.get(key) ?? [];
    if (Array.isArray(value) && value.every(isSettings)) {
      return value.map((item, index) => this.readerOf(`${key}.${index}`, item));
    }
    this.refuse(key, `${key} must be a list of settings`);
    return [];
  }

  private readerOf(key: string, settings: object): SettingsReader {
    const { lines } = this.matter;
    const inner = { values: new Map(Object.entries(settings)), lines };
    return new SettingsReader(this.path, inner, `${this.prefix}${key}.`, this.problems);
  }

  has(key: string): boolean {
    return (this.matter.values.get(key) ?? null) !== null;
  }

  text(key: string): string | null {
    const value = this.matter.values.get(key) ?? null;
    if (value === null) return null;
    if (typeof value === 'string') return withLineFeeds(value);
    this.refuse(key, `${key} must be text: put it in quotation marks`);
    return null;
  }

  oneOf<Value extends string>(key: string, known: readonly Value[]): Value | null {
    const text = this.text(key);
    const found = known.find((value) => value === text);
    if (text !== null && found === undefined) this.refuse(key, `${key} must be one of ${known.join(', ')}`);
    return found ?? null;
  }

  id(key: string): string | null {
    const text = this.text(key);
    if (text === null) return null;
    if (isUuid(text)) return canonicalId(text);
    this.refuse(key, `${key} is not a valid UUID`);
    return null;
  }

  flag(key: string): boolean {
    const value = this.matter.values.get(key) ?? false;
    if (typeof value !== 'boolean') this.refuse(key, `${key} must be true or false`);
    return value === true;
  }

  names(key: string): string[] {
    const value = this.matter.values.get(key) ?? [];
    const names = [value].flat();
    if (names.every((name) => typeof name === 'string' && name.trim() !== '' && name.length <= maxName)) {
      return names.map((name) => String(name).trim());
    }
    this.refuse(key, `${key} must be a name, or a list of names from the outermost folder to the innermost`);
    return [];
  }

  count(key: string): number | undefined {
    const value = this.matter.values.get(key) ?? undefined;
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) return value as number | undefined;
    this.refuse(key, `${key} must be a whole number from 1`);
    return undefined;
  }
}
