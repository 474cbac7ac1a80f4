import type { FieldName, ServerTemplate, TemplateFields } from './template.ts';

/** A template that is to be created, or changed from what the server has. */
export interface TemplateChange {
  fields: TemplateFields;
  /** Undefined for a new template. */
  before: ServerTemplate | undefined;
  names: FieldName[];
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
  create(fields: TemplateFields): Promise<Stored>;
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
