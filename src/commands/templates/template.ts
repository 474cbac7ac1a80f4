import { OperatorError } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { TemplateLanguages } from '../../templates/languages/languages.ts';
import type { ProcessType } from '../../templates/template-row.ts';

export type TextsInLanguages = Omit<TemplateLanguages, 'enabled'>;

/** The fields of a template in a file, which are compared with the server's. */
export interface TemplateFields {
  name: string;
  channel: Channel;
  /** Null for text messages. */
  subject: string | null;
  /** With line feeds only, because browsers send other line endings than editors. */
  content: string;
  /** Folder names, starting at the root. */
  folder: string[];
  /** Null except for letters. */
  postage: string | null;
  /** The id of a text message sender, reply-to address or letter contact block. Null for the service's default. */
  sender: string | null;
  process_type: ProcessType;
  /** The name of a category of GC Notify. */
  category: string | null;
  has_unsubscribe_link: boolean;
  /** Either both are set or none. */
  welsh_subject: string | null;
  welsh_content: string | null;
  /** Null for a template in only one language. */
  languages: TextsInLanguages | null;
  archived: boolean;
}

export interface LocalTemplate {
  /** Relative to the folder of templates. */
  path: string;
  /** The template's id on the server. Undefined until it is pulled or pushed. */
  id: string | undefined;
  /** The server's version when the file was pulled or pushed. */
  version: number | undefined;
  fields: TemplateFields;
}

export interface ServerTemplate {
  id: string;
  version: number;
  fields: TemplateFields;
}

export type FieldName = keyof TemplateFields;

/** In the order in which they are written to files. */
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

/** Returns a text that every template must have. `what` is its name in the error. */
export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return withLineFeeds(value);
  throw new OperatorError(`The server did not send the ${what}: is this the address of the API?`);
}

export function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** A template to create, or to change from the version on the server. */
export interface TemplateChange {
  fields: TemplateFields;
  /** Undefined for a new template. */
  before: ServerTemplate | undefined;
  names: FieldName[];
  /** The id of a new template on another server, to keep it. */
  id?: string | undefined;
}

type Stored = Pick<ServerTemplate, 'id' | 'version'>;

export interface TemplateServer {
  /** Lists all templates except archived ones. */
  list(): Promise<ServerTemplate[]>;
  /** Finds a template, even an archived one. */
  find(id: string): Promise<ServerTemplate | undefined>;
  /** Returns the fields of an earlier version, as far as the server stores them. */
  findVersion(id: string, version: number): Promise<Partial<TemplateFields> | undefined>;
  /** Returns the reason for each change that the server would refuse. Changes nothing. */
  check(changes: TemplateChange[]): Promise<Map<TemplateChange, string>>;
  /** Creates a template with a new id, or with the given one. */
  create(fields: TemplateFields, id?: string): Promise<Stored>;
  /** Calls `onVersion` for each version that it creates. Throws `ChangedMeanwhile` if the server has a newer version than `before`. */
  change(before: ServerTemplate, change: TemplateChange, onVersion: (stored: Stored) => Promise<void>): Promise<void>;
}

export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
}

/** Runs a few calls at a time, because a server limits concurrent requests. */
export async function mapConcurrently<Item, Result>(
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
