import type { Channel } from '../../protocol/channels.ts';
import { templateLanguages } from '../../templates/languages/languages.ts';
import { categoryCalled, findCategory } from '../../templates/sources/template-categories.ts';
import type { ProcessType } from '../../templates/template-row.ts';
import { JsonRequests, listOf, RequestRefused, signedToken } from './json-requests.ts';
import { inOneForm } from './languages.ts';
import {
  ChangedMeanwhile,
  differingFields,
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

interface Credentials {
  url: string;
  /** The issuer of tokens. */
  client: string;
  secret: string;
  service: string;
  /** The author of versions. */
  user: string | undefined;
}

type Stored = Pick<ServerTemplate, 'id' | 'version'>;

/** Only uses endpoints that every server of the Notify protocol has. */
export class AdminServer implements TemplateServer {
  private readonly requests: JsonRequests;
  private readonly service: string;
  private readonly root: string;
  private readonly user: string | undefined;
  private readonly folders: AdminFolders;

  constructor({ url, client, secret, service, user }: Credentials) {
    this.requests = new JsonRequests(url, () => signedToken(client, secret));
    this.service = service;
    this.root = `/service/${service}`;
    this.user = user;
    this.folders = new AdminFolders(this.requests, this.root);
  }

  async list(): Promise<ServerTemplate[]> {
    await this.folders.load();
    const { data } = await this.requests.get<{ data: { id: string; is_precompiled_letter?: boolean }[] }>(
      `${this.root}/template`,
    );
    const listed = listOf(data, 'templates').filter(({ is_precompiled_letter }) => !is_precompiled_letter);
    const templates = await mapConcurrently(listed, ({ id }) => this.find(id));
    // A template may have been deleted since the list was read.
    return templates.filter((template) => template !== undefined);
  }

  async find(id: string): Promise<ServerTemplate | undefined> {
    const found = await this.requests.find<{ data: AdminTemplate }>(`${this.root}/template/${id}`);
    return found && this.read(found.data);
  }

  async findVersion(id: string, version: number): Promise<Partial<TemplateFields> | undefined> {
    const path = `${this.root}/template/${id}/version/${version}`;
    const found = await this.requests.find<{ data: AdminTemplate }>(path);
    if (!found) return undefined;
    // Versions do not store the folder.
    const { folder: _, ...fields } = fieldsOf(found.data, []);
    return fields;
  }

  private read(record: AdminTemplate): ServerTemplate {
    const folder = record.folder ? this.folders.pathOf(record.folder) : [];
    return { id: record.id, version: record.version, fields: fieldsOf(record, folder) };
  }

  async check(changes: TemplateChange[]): Promise<Map<TemplateChange, string>> {
    const { data } = await this.requests.get<{ data: { permissions: string[] } }>(this.root);
    const senders = new Map<Channel, Set<string>>();
    for (const { fields, names } of changes) {
      if (fields.sender === null || !names.includes('sender') || senders.has(fields.channel)) continue;
      senders.set(fields.channel, await this.listSenders(fields.channel));
    }
    const refusals = new Map<TemplateChange, string>();
    for (const change of changes) {
      const { channel, sender } = change.fields;
      if (!data.permissions.includes(channel)) refusals.set(change, `The service has no permission for ${channel}`);
      else if (lacksLanguages(change, data.permissions)) refusals.set(change, noLanguages);
      else if (sender !== null && senders.get(channel)?.has(sender) === false)
        refusals.set(change, `sender ${sender} does not exist in the service`);
    }
    return refusals;
  }

  private async listSenders(channel: Channel): Promise<Set<string>> {
    const nouns: Record<Channel, string> = { sms: 'sms-sender', email: 'email-reply-to', letter: 'letter-contact' };
    const senders = await this.requests.get<{ id: string; archived?: boolean }[]>(`${this.root}/${nouns[channel]}`);
    return new Set(senders.filter(({ archived }) => !archived).map(({ id }) => id));
  }

  async create(fields: TemplateFields, id?: string): Promise<Stored> {
    const parent_folder_id = await this.folders.getOrCreate(fields.folder);
    const owner = { service: this.service, created_by: this.user, ...(id === undefined ? {} : { id }) };
    const body = { ...bodyOfNew(fields), ...owner, ...(parent_folder_id ? { parent_folder_id } : {}) };
    const { data } = await this.requests.post<{ data: AdminTemplate }>(`${this.root}/template`, body);
    return { id: data.id, version: data.version };
  }

  async change(
    before: ServerTemplate,
    { fields, names }: TemplateChange,
    onVersion: (stored: Stored) => Promise<void>,
  ): Promise<void> {
    let { version } = before;
    const store = async (body: object): Promise<AdminTemplate> => {
      const { data } = await this.requests
        // Other servers ignore `changes_version`.
        .post<{ data: AdminTemplate }>(`${this.root}/template/${before.id}`, { ...body, changes_version: version })
        .catch(explainConflict);
      version = data.version;
      await onVersion({ id: before.id, version });
      return data;
    };
    await this.refuseIfChanged(before);
    const sender = names.includes('sender') ? { reply_to: fields.sender } : {};
    const body = { ...bodyOfChange(fields, names), ...sender };
    if (Object.keys(body).length > 0) {
      const stored = fieldsOf(await store({ ...body, created_by: this.user }), fields.folder);
      // Servers without `changes_version` store the sender alone, so the rest becomes another version.
      const left = bodyOfChange(fields, differingFields(stored, fields));
      if ('reply_to' in sender && Object.keys(left).length > 0) await store({ ...left, created_by: this.user });
    }
    if (names.includes('folder') && !fields.archived) await this.folders.move(before.id, fields.folder);
  }

  /** For servers without `changes_version`: checks the newest version first. Another change may still come in between. */
  private async refuseIfChanged({ id, version }: ServerTemplate): Promise<void> {
    const now = await this.find(id);
    if (now?.version !== version) throw new ChangedMeanwhile(`Version ${now?.version ?? '?'} is the newest.`);
  }
}

const noLanguages = `The service cannot have texts in other languages: it lacks the permission ${templateLanguages}`;

function lacksLanguages({ fields, before, names }: TemplateChange, permissions: string[]): boolean {
  const isSent = fields.languages !== null && (!before || names.includes('languages'));
  return isSent && !permissions.includes(templateLanguages);
}

function explainConflict(error: unknown): never {
  if (error instanceof RequestRefused && error.status === 409) throw new ChangedMeanwhile(error.message);
  throw error;
}

interface AdminFolder {
  id: string;
  name: string;
  parent_id: string | null;
}

/** The template folders of a service. Files name them by their path. */
class AdminFolders {
  private readonly requests: JsonRequests;
  private readonly root: string;
  private readonly byId = new Map<string, AdminFolder>();

  constructor(requests: JsonRequests, serviceRoot: string) {
    this.requests = requests;
    this.root = `${serviceRoot}/template-folder`;
  }

  async load(): Promise<void> {
    const { template_folders } = await this.requests.get<{ template_folders: AdminFolder[] }>(this.root);
    for (const folder of listOf(template_folders, 'template folders')) this.byId.set(folder.id, folder);
  }

  pathOf(id: string): string[] {
    const path: string[] = [];
    // Stops if a server returns a folder that is inside itself.
    for (let folder = this.byId.get(id); folder && path.length < this.byId.size; ) {
      path.unshift(folder.name.trim());
      folder = folder.parent_id === null ? undefined : this.byId.get(folder.parent_id);
    }
    return path;
  }

  /** Returns null for the root. */
  async getOrCreate(path: string[]): Promise<string | null> {
    let parent_id: string | null = null;
    for (const name of path) parent_id = this.find(name, parent_id) ?? (await this.create(name, parent_id));
    return parent_id;
  }

  private find(name: string, parentId: string | null): string | undefined {
    const isIt = (folder: AdminFolder) => folder.parent_id === parentId && folder.name.trim() === name;
    return [...this.byId.values()].find(isIt)?.id;
  }

  private async create(name: string, parent_id: string | null): Promise<string> {
    const { data } = await this.requests.post<{ data: AdminFolder }>(this.root, { name, parent_id });
    this.byId.set(data.id, { id: data.id, name, parent_id });
    return data.id;
  }

  async move(templateId: string, path: string[]): Promise<void> {
    const folder = await this.getOrCreate(path);
    const place = folder === null ? '' : `/${folder}`;
    await this.requests.post(`${this.root}${place}/contents`, { templates: [templateId], folders: [] });
  }
}

/** The fields of the admin API that template files have. Some servers omit fields. */
interface AdminTemplate {
  id: string;
  version: number;
  name: string;
  template_type: Channel;
  subject: string | null;
  content: string;
  folder?: string | null;
  postage: string | null;
  reply_to?: string | null;
  process_type?: ProcessType;
  template_category_id?: string;
  has_unsubscribe_link?: boolean | null;
  letter_welsh_subject?: string | null;
  letter_welsh_content?: string | null;
  languages?: TextsInLanguages;
  archived?: boolean;
}

function fieldsOf(record: AdminTemplate, folder: string[]): TemplateFields {
  const { template_type: channel, letter_welsh_subject, letter_welsh_content } = record;
  return {
    name: textOf(record.name, `name of template ${record.id}`),
    channel,
    subject: channel === 'sms' ? null : withLineFeeds(record.subject ?? ''),
    content: textOf(record.content, `text of template ${record.id}`),
    folder,
    postage: channel === 'letter' ? (record.postage ?? 'second') : null,
    sender: record.reply_to ?? null,
    process_type: record.process_type ?? 'normal',
    category: findCategory(record.template_category_id ?? '')?.name ?? null,
    has_unsubscribe_link: record.has_unsubscribe_link ?? false,
    welsh_subject: typeof letter_welsh_subject === 'string' ? withLineFeeds(letter_welsh_subject) : null,
    welsh_content: typeof letter_welsh_content === 'string' ? withLineFeeds(letter_welsh_content) : null,
    languages: record.languages ? inOneForm(record.languages) : null,
    archived: record.archived ?? false,
  };
}

/** Omits fields that have their default value, because not every server knows every field. */
function bodyOfNew(fields: TemplateFields): object {
  const { name, channel, subject, content, postage, sender } = fields;
  const names: FieldName[] = [
    ...(fields.process_type === 'normal' && fields.category === null ? [] : ['process_type' as const]),
    ...(fields.category === null ? [] : ['category' as const]),
    ...(fields.has_unsubscribe_link ? ['has_unsubscribe_link' as const] : []),
    ...(fields.welsh_content === null ? [] : ['welsh_content' as const]),
    ...(fields.languages === null ? [] : ['languages' as const]),
  ];
  return {
    name,
    template_type: channel,
    content,
    ...(subject === null ? {} : { subject }),
    ...(postage === null ? {} : { postage }),
    ...(sender === null ? {} : { reply_to: sender }),
    ...bodyOfChange(fields, names),
  };
}

/** Omits the folder and the sender, which have separate requests. */
function bodyOfChange(fields: TemplateFields, names: FieldName[]): object {
  const isWelsh = fields.welsh_content !== null;
  const { name, subject, content, postage, process_type, has_unsubscribe_link, languages, archived } = fields;
  const sent = { name, subject, content, postage, process_type, has_unsubscribe_link, languages, archived };
  const changed = Object.entries(sent).filter(([field]) => (names as string[]).includes(field));
  const welsh = {
    letter_languages: isWelsh ? 'welsh_then_english' : 'english',
    letter_welsh_subject: fields.welsh_subject,
    letter_welsh_content: fields.welsh_content,
  };
  const category = { template_category_id: categoryCalled(fields.category)?.id ?? null };
  const hasWelsh = names.includes('welsh_subject') || names.includes('welsh_content');
  return {
    ...Object.fromEntries(changed),
    ...(names.includes('category') ? { process_type, ...category } : {}),
    ...(hasWelsh ? welsh : {}),
  };
}
