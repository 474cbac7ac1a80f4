import { type JsonRequests, listOf } from './json-requests.ts';

interface AdminFolder {
  id: string;
  name: string;
  parent_id: string | null;
}

/** The template folders of a service, which files name by their path. */
export class AdminFolders {
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
    // A server that says a folder is inside itself must not keep us here.
    for (let folder = this.byId.get(id); folder && path.length < this.byId.size; ) {
      path.unshift(folder.name.trim());
      folder = folder.parent_id === null ? undefined : this.byId.get(folder.parent_id);
    }
    return path;
  }

  /** Null for the root. */
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
