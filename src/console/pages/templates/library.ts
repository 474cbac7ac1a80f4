import { asIs, type Text, t } from '../../../language/text.ts';
import { Failure, notFound } from '../../../platform/failure.ts';
import type { Service } from '../../../services/services.ts';
import { listFolders } from '../../../templates/folders/template-folders.ts';
import type { CurrentTemplateRow } from '../../../templates/template-row.ts';
import { getLastUsed } from '../../../templates/template-statistics.ts';
import { getTemplate, listTemplates } from '../../../templates/templates.ts';
import { isOperator } from '../../../users/user-record.ts';
import { may, type Right } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { withQuery } from '../../links.ts';
import type { Crumb } from '../../page.ts';
import { dayAndMonth } from '../../parts/time.tsx';
import type { Visitor } from '../../sessions/sessions.ts';

/** A service and the person who views its pages. */
export interface Reader {
  service: Service;
  visitor: Pick<Visitor, 'user'>;
}

export type Folder = Awaited<ReturnType<typeof listFolders>>[number];

export const has = ({ visitor, service }: Reader, right: Right) =>
  may({ service: right }, visitor.user, service) === 'yes';

/** Checks the right that a form needs, on a page that everybody can open. */
export function refuseUnless(reader: Reader, right: Right): void {
  if (!has(reader, right)) throw new Failure('forbidden', 'Forbidden', t('You cannot do this'));
}

/** The folders of a service that a person can see. A folder inside a hidden one appears at the next visible level. */
export class Library {
  private readonly all: Map<string, Folder>;
  private readonly seen: Map<string, Folder>;

  constructor(folders: Folder[], isSeen: (folder: Folder) => boolean) {
    this.all = new Map(folders.map((folder) => [folder.id, folder]));
    this.seen = new Map(folders.filter(isSeen).map((folder) => [folder.id, folder]));
  }

  get ids(): string[] {
    return [...this.seen.keys()];
  }

  /** A folder of another service counts as not found. */
  get(id: string): Folder {
    const folder = this.seen.get(id);
    if (folder) return folder;
    if (this.all.has(id)) throw new Failure('forbidden', 'Forbidden', t('You cannot see this folder'));
    throw notFound();
  }

  sees(id: string | null): boolean {
    return id === null || this.seen.has(id);
  }

  parentOf({ parent_id }: Folder): Folder | undefined {
    for (let above = parent_id; above !== null; above = this.all.get(above)?.parent_id ?? null) {
      const folder = this.seen.get(above);
      if (folder) return folder;
    }
    return undefined;
  }

  /** Returns the subfolders of a folder, sorted by name. */
  inside(id: string | null): Folder[] {
    return [...this.seen.values()]
      .filter((folder) => (this.parentOf(folder)?.id ?? null) === id)
      .sort((a, b) => a.name.localeCompare(b.name, 'en'));
  }

  /** Whether there is any subfolder, including hidden ones. */
  hasInside(id: string): boolean {
    return [...this.all.values()].some(({ parent_id }) => parent_id === id);
  }

  /** Returns the folders from the root to the folder itself. */
  path(id: string | null): Folder[] {
    const folder = id === null ? undefined : this.seen.get(id);
    return folder ? [...this.path(this.parentOf(folder)?.id ?? null), folder] : [];
  }

  /** Returns every folder with its path, for a list of options. */
  paths(): { id: string; path: string }[] {
    return this.ids
      .map((id) => ({
        id,
        path: this.path(id)
          .map(({ name }) => name)
          .join(' / '),
      }))
      .sort((a, b) => a.path.localeCompare(b.path, 'en'));
  }
}

export async function openLibrary(app: ConsoleApp, { service, visitor: { user } }: Reader): Promise<Library> {
  const folders = await listFolders(app.db, service.id);
  return new Library(folders, (folder) => isOperator(user) || folder.users_with_permission.includes(user.id));
}

/** Checks a folder that a form names, or that of a template: members may not use folders that they may not see. */
export async function refuseUnlessSeen(app: ConsoleApp, reader: Reader, folder: string | null): Promise<void> {
  if (folder !== null) (await openLibrary(app, reader)).get(folder);
}

/** Templates of another service and hidden ones count as not found. A template in a folder that the reader may not see is rejected. */
export async function getSeenTemplate(app: ConsoleApp, reader: Reader, id: string): Promise<CurrentTemplateRow> {
  const template = await getTemplate(app.db, reader.service.id, id);
  await refuseUnlessSeen(app, reader, template.folder);
  return template;
}

/** Lists active templates at the root and in folders that the reader sees. */
export async function listSeenTemplates(app: ConsoleApp, reader: Reader) {
  const library = await openLibrary(app, reader);
  return (await listTemplates(app, reader.service.id)).filter(({ folder }) => library.sees(folder));
}

/** Returns a template to edit, which must not be archived. */
export async function getEditableTemplate(app: ConsoleApp, reader: Reader, id: string): Promise<CurrentTemplateRow> {
  const template = await getSeenTemplate(app, reader, id);
  if (template.archived) throw notFound(t('The template is archived'));
  return template;
}

/** Returns the path of the list, below /console. */
export function listPath(serviceId: string, query: Record<string, string | undefined> = {}): string {
  return withQuery(`/services/${serviceId}/templates`, query);
}

export const templatePath = (serviceId: string, templateId: string) => `/services/${serviceId}/templates/${templateId}`;

export function buildCrumbs(library: Library, serviceId: string, folder: string | null): Crumb[] {
  return [
    { label: t('Templates'), to: listPath(serviceId) },
    ...library.path(folder).map(({ id, name }) => ({ label: asIs(name), to: listPath(serviceId, { folder: id }) })),
  ];
}

/** Returns "Last used on 3 Nov", for the confirmation before archiving. */
export async function describeLastUse(app: ConsoleApp, serviceId: string, templateId: string): Promise<Text> {
  const last = await getLastUsed(app, serviceId, templateId);
  return last === null
    ? t('Never used')
    : t('Last used on {day}', { day: dayAndMonth(app.country.calendar, new Date(last)) });
}
