import { OperatorError } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { TemplateLanguages } from '../../templates/languages/languages.ts';
import type { ProcessType } from '../../templates/template-row.ts';

export type TextsInLanguages = Omit<TemplateLanguages, 'enabled'>;

/** What a file says about a template, and what is compared with the server. */
export interface TemplateFields {
  name: string;
  channel: Channel;
  /** Null for text messages. */
  subject: string | null;
  /** The text has line feeds only: browsers send other line ends than editors. */
  content: string;
  /** Names from the root down. */
  folder: string[];
  /** Null unless it is a letter. */
  postage: string | null;
  /** Id of a text message sender, a reply-to address or a letter contact. Null: the default of the service. */
  sender: string | null;
  process_type: ProcessType;
  /** The name of one of the categories of GC Notify. */
  category: string | null;
  has_unsubscribe_link: boolean;
  /** Both or none. */
  welsh_subject: string | null;
  welsh_content: string | null;
  /** Null for a template in one language. */
  languages: TextsInLanguages | null;
  archived: boolean;
}

/** A template in a file. */
export interface LocalTemplate {
  /** Relative to the folder. */
  path: string;
  /** The id of the template on the server, since it was pulled or pushed. */
  id: string | undefined;
  /** The version that the server had when the file was pulled or pushed. */
  version: number | undefined;
  fields: TemplateFields;
}

export interface ServerTemplate {
  id: string;
  version: number;
  fields: TemplateFields;
}

export type FieldName = keyof TemplateFields;

/** The order in files. */
const fieldNames: readonly FieldName[] = [
  'name',
  'channel',
  'subject',
  'folder',
  'postage',
  'sender',
  'process_type',
  'category',
  'has_unsubscribe_link',
  'welsh_subject',
  'welsh_content',
  'languages',
  'archived',
  'content',
];

export function differingFields(one: TemplateFields, other: TemplateFields): FieldName[] {
  return fieldNames.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

/** A text that every template has. `what` names it. */
export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return withLineFeeds(value);
  throw new OperatorError(`The server did not send the ${what}: is this the address of the API?`);
}

export function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** A template that is to be created, or changed from what the server has. */
export interface TemplateChange {
  fields: TemplateFields;
  /** Undefined for a new template. */
  before: ServerTemplate | undefined;
  names: FieldName[];
  /** The id that a new template had on another server, and keeps. */
  id?: string | undefined;
}

type Stored = Pick<ServerTemplate, 'id' | 'version'>;

/** The templates of one service. */
export interface TemplateServer {
  /** Except archived ones. */
  list(): Promise<ServerTemplate[]>;
  /** Also an archived one. */
  find(id: string): Promise<ServerTemplate | undefined>;
  /** What an earlier version said, as far as the server keeps it. */
  findVersion(id: string, version: number): Promise<Partial<TemplateFields> | undefined>;
  /** What the server would refuse, for each change that it would refuse. Changes nothing. */
  check(changes: TemplateChange[]): Promise<Map<TemplateChange, string>>;
  /** Under an id of its own, unless it keeps one. */
  create(fields: TemplateFields, id?: string): Promise<Stored>;
  /** Calls `onVersion` for each version that it makes. Throws `ChangedMeanwhile` if there is a newer one than `before`. */
  change(before: ServerTemplate, change: TemplateChange, onVersion: (stored: Stored) => Promise<void>): Promise<void>;
}

export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
}

/** One after the other for each of a few workers: a server has limits for requests at once. */
export async function mapFew<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const workers = 6;
  const results = new Array<Result>(items.length);
  const waiting = items.entries();
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (const [index, item] of waiting) results[index] = await work(item);
    }),
  );
  return results;
}
