import type { Channel } from '../../protocol/channels.ts';
import { AdminFolders } from './admin-folders.ts';
import { type AdminTemplate, bodyOfChange, bodyOfNew, fieldsOf } from './admin-template.ts';
import { JsonRequests, listOf, RequestRefused } from './json-requests.ts';
import { signedToken } from './signed-token.ts';
import { differingFields, type ServerTemplate, type TemplateFields } from './template.ts';
import { ChangedMeanwhile, mapFew, type TemplateChange, type TemplateServer } from './template-server.ts';

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

/** Uses only endpoints that every server of the Notify protocol has. */
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
    const templates = await mapFew(listed, ({ id }) => this.find(id));
    // One may be gone since the list was made.
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
    // Versions keep no folder.
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

  async create(fields: TemplateFields): Promise<Stored> {
    const parent_folder_id = await this.folders.getOrCreate(fields.folder);
    const owner = { service: this.service, created_by: this.user };
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
      // Servers that do not know `changes_version` take the sender alone; the rest is another version there.
      const left = bodyOfChange(fields, differingFields(stored, fields));
      if ('reply_to' in sender && Object.keys(left).length > 0) await store({ ...left, created_by: this.user });
    }
    if (names.includes('folder') && !fields.archived) await this.folders.move(before.id, fields.folder);
  }

  /** Servers that do not know `changes_version` are asked; somebody may still be faster. */
  private async refuseIfChanged({ id, version }: ServerTemplate): Promise<void> {
    const now = await this.find(id);
    if (now?.version !== version) throw new ChangedMeanwhile(`Version ${now?.version ?? '?'} is the newest.`);
  }
}

function explainConflict(error: unknown): never {
  if (error instanceof RequestRefused && error.status === 409) throw new ChangedMeanwhile(error.message);
  throw error;
}
