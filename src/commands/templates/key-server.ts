import { OperatorError } from '../../platform/failure.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { TemplateVariant } from '../../templates/languages/languages.ts';
import { categoryCalled, findCategory } from '../../templates/sources/template-categories.ts';
import type { ProcessType } from '../../templates/template-row.ts';
import { JsonRequests, listOf, RequestRefused, signedToken } from './json-requests.ts';
import { inOneForm } from './languages.ts';
import {
  ChangedMeanwhile,
  type FieldName,
  mapConcurrently,
  type ServerTemplate,
  type TemplateChange,
  type TemplateFields,
  type TemplateServer,
  type TextsInLanguages,
  textOf,
  withLineFeeds,
} from './template.ts';

/** A template with all its settings, as in `/v2/template/{id}/source`. */
interface Source {
  id: string;
  type: Channel;
  name: string;
  version: number;
  subject: string | null;
  body: string;
  folder: string[];
  postage: string | null;
  sender_id: string | null;
  process_type: ProcessType;
  template_category_id?: string | null;
  has_unsubscribe_link: boolean;
  letter_welsh_subject: string | null;
  letter_welsh_body: string | null;
  languages?: SourceLanguages;
  archived: boolean;
}

type SourceLanguages = Omit<TextsInLanguages, 'variants'> & {
  variants: (Omit<TemplateVariant, 'content'> & { body: string })[];
};

type Stored = Pick<ServerTemplate, 'id' | 'version'>;

/** The fields that every server of the Notify protocol returns to an API key. */
type PublicTemplate = Pick<Source, 'id' | 'type' | 'name' | 'version' | 'subject' | 'body' | 'postage'>;

const wholeKey = /-(?<service>[0-9a-f-]{36})-(?<secret>[0-9a-f-]{36})$/i;

export function readWholeKey(key: string): { service: string; secret: string } {
  const { service = '', secret = '' } = wholeKey.exec(key)?.groups ?? {};
  if (secret === '')
    throw new OperatorError('The API key is incomplete: enter its name, the id of the service and the secret.');
  return { service, secret };
}

/** Uses an API key that can manage templates. On servers other than Pennypost, keys can only read them. */
export class KeyServer implements TemplateServer {
  private readonly requests: JsonRequests;
  private canOnlyRead = false;

  constructor(url: string, key: string) {
    const { service, secret } = readWholeKey(key);
    this.requests = new JsonRequests(url, () => signedToken(service, secret));
  }

  async list(): Promise<ServerTemplate[]> {
    const found = await this.requests.find<{ templates: Source[] }>('/v2/templates/source');
    if (found) return listOf(found.templates, 'templates').map(read);
    this.canOnlyRead = true;
    const { templates } = await this.requests.get<{ templates: PublicTemplate[] }>('/v2/templates');
    const listed = listOf(templates, 'templates');
    const managed = await this.findManaged(listed);
    return listed.map((template) =>
      read({ ...defaults, ...template, ...settingsAtGcNotify(managed.get(template.id)) }),
    );
  }

  /** GC Notify returns the category and folder of a template to keys that can manage templates. */
  private async findManaged(listed: PublicTemplate[]): Promise<Map<string, ManagedTemplate>> {
    const [first, ...others] = listed;
    if (!first) return new Map();
    const find = ({ id }: PublicTemplate) => this.requests.find<ManagedTemplate>(`/v2/manage-template/${id}`);
    try {
      const found = await find(first);
      // Other servers lack the route.
      if (!found) return new Map();
      const all = [found, ...(await mapConcurrently(others, find))].filter((template) => template !== undefined);
      return new Map(all.map((template) => [template.id, template]));
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 403) return new Map();
      throw error;
    }
  }

  async find(id: string): Promise<ServerTemplate | undefined> {
    try {
      const found = await this.requests.find<Source>(`/v2/template/${id}/source`);
      return found && read(found);
    } catch (error) {
      // The template belongs to another service.
      if (error instanceof RequestRefused && error.status === 403) return undefined;
      throw error;
    }
  }

  /** Versions have only their texts. */
  async findVersion(id: string, version: number): Promise<Partial<TemplateFields> | undefined> {
    const found = await this.requests.find<PublicTemplate>(`/v2/template/${id}/version/${version}`);
    if (!found) return undefined;
    const { type: channel, name, subject, body, postage } = found;
    const texts = {
      name: textOf(name, `name of template ${id}`),
      subject: subject && withLineFeeds(subject),
      content: textOf(body, `text of template ${id}`),
    };
    return { channel, postage, ...texts };
  }

  async check(changes: TemplateChange[]): Promise<Map<TemplateChange, string>> {
    if (this.canOnlyRead && changes.length > 0) {
      throw new OperatorError('This server lets API keys only read templates: use --service and the admin API.');
    }
    const refusals = new Map<TemplateChange, string>();
    await mapConcurrently(changes, async (change) => {
      try {
        await this.store(change, '?dry_run=true');
      } catch (error) {
        const isRefusal = error instanceof RequestRefused && ![401, 429].includes(error.status) && error.status < 500;
        if (!isRefusal && !(error instanceof ChangedMeanwhile)) throw error;
        refusals.set(change, error.message);
      }
    });
    return refusals;
  }

  create(fields: TemplateFields, id?: string): Promise<Stored> {
    return this.store({ fields, before: undefined, names: [], id });
  }

  async change(_: ServerTemplate, change: TemplateChange, onVersion: (stored: Stored) => Promise<void>): Promise<void> {
    await onVersion(await this.store(change));
  }

  private async store({ fields, before, names, id }: TemplateChange, query = ''): Promise<Stored> {
    if (!before) {
      const kept = id === undefined ? {} : { id };
      const body = { type: fields.channel, ...kept, ...bodyOf(fields, namesOfNew(fields)) };
      return this.requests.post<Source>(`/v2/template${query}`, body);
    }
    const body = { version: before.version, ...bodyOf(fields, names) };
    return this.requests.post<Source>(`/v2/template/${before.id}${query}`, body).catch((error) => {
      if (error instanceof RequestRefused && error.status === 409) throw new ChangedMeanwhile(error.message);
      throw error;
    });
  }
}

/** The fields of GC Notify in addition to the texts. */
interface ManagedTemplate {
  id: string;
  template_category_id: string | null;
  folder_id: string | null;
}

/** GC Notify does not return folder names, so each folder gets a name made from its id, which people can change. */
function settingsAtGcNotify(managed: ManagedTemplate | undefined) {
  if (!managed) return {};
  const { template_category_id, folder_id } = managed;
  const category = findCategory(template_category_id ?? '');
  return {
    ...(category ? { template_category_id: category.id, process_type: category.process_type } : {}),
    folder: folder_id ? [`folder-${folder_id.slice(0, 8)}`] : [],
  };
}

const defaults = {
  folder: [],
  sender_id: null,
  process_type: 'normal' as const,
  has_unsubscribe_link: false,
  letter_welsh_subject: null,
  letter_welsh_body: null,
  archived: false,
};

function read(source: Source): ServerTemplate {
  const text = (value: string | null) => (value === null ? null : withLineFeeds(value));
  return {
    id: source.id,
    version: source.version,
    fields: {
      name: textOf(source.name, `name of template ${source.id}`),
      channel: source.type,
      subject: text(source.subject),
      content: textOf(source.body, `text of template ${source.id}`),
      folder: source.folder,
      postage: source.postage,
      sender: source.sender_id,
      process_type: source.process_type,
      category: findCategory(source.template_category_id ?? '')?.name ?? null,
      has_unsubscribe_link: source.has_unsubscribe_link,
      welsh_subject: text(source.letter_welsh_subject),
      welsh_content: text(source.letter_welsh_body),
      languages: source.languages ? languagesOf(source.languages) : null,
      archived: source.archived,
    },
  };
}

function languagesOf({ variants, ...languages }: SourceLanguages): TextsInLanguages {
  return inOneForm({
    ...languages,
    variants: variants.map(({ body: content, ...variant }) => ({ ...variant, content })),
  });
}

function sourceOf(languages: TextsInLanguages | null): SourceLanguages | null {
  if (languages === null) return null;
  return { ...languages, variants: languages.variants.map(({ content: body, ...variant }) => ({ ...variant, body })) };
}

/** Returns the fields of a new template that differ from the defaults. */
function namesOfNew(fields: TemplateFields): FieldName[] {
  const names: FieldName[] = ['name', 'content', 'folder', 'sender', 'process_type', 'has_unsubscribe_link'];
  if (fields.subject !== null) names.push('subject');
  if (fields.category !== null) names.push('category');
  if (fields.postage !== null) names.push('postage');
  if (fields.welsh_content !== null) names.push('welsh_content');
  if (fields.languages !== null) names.push('languages');
  return names;
}

function bodyOf(fields: TemplateFields, names: FieldName[]): object {
  const has = (...some: FieldName[]) => some.some((name) => names.includes(name));
  const { name, subject, content, folder, postage, sender, process_type, has_unsubscribe_link, archived } = fields;
  return {
    ...(has('name') ? { name } : {}),
    ...(has('subject') ? { subject } : {}),
    ...(has('content') ? { body: content } : {}),
    ...(has('folder') ? { folder } : {}),
    ...(has('postage') ? { postage } : {}),
    ...(has('sender') ? { sender_id: sender } : {}),
    ...(has('process_type', 'category') ? { process_type } : {}),
    ...(has('category') ? { template_category_id: categoryCalled(fields.category)?.id ?? null } : {}),
    ...(has('has_unsubscribe_link') ? { has_unsubscribe_link } : {}),
    ...(has('languages') ? { languages: sourceOf(fields.languages) } : {}),
    ...(has('archived') ? { archived } : {}),
    ...(has('welsh_subject', 'welsh_content')
      ? { letter_welsh_subject: fields.welsh_subject, letter_welsh_body: fields.welsh_content }
      : {}),
  };
}
