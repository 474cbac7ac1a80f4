import { Type } from 'typebox';
import { isUuid } from '../../../platform/id.ts';
import { Uuid } from '../../../protocol/fields.ts';
import { listServiceMembers } from '../../../services/members/service-members.ts';
import { createFolder, deleteFolder, updateFolder } from '../../../templates/folders/template-folders.ts';
import { countInFolders } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { Confirm } from '../../parts/form.tsx';
import { buildCrumbs, type Folder, has, listPath, openLibrary } from './library.ts';

const who = { service: 'templates' } as const;
type Writing = PageRequest<typeof who>;
const FolderName = Type.String({ minLength: 1, maxLength: 255 });

export function folderPages(pages: Pages, app: ConsoleApp): void {
  const listActiveMembers = async ({ service }: Writing) =>
    (await listServiceMembers(app.db, service.id)).filter(({ state }) => state === 'active');

  pages.add('/services/:service_id/templates/folders/new', {
    who,
    below: 'Templates',
    async show(request, formState) {
      const library = await openLibrary(app, request);
      const parent = isUuid(request.query('folder')) ? library.get(request.query('folder')) : undefined;
      return {
        title: 'New folder',
        crumbs: buildCrumbs(library, request.service.id, parent?.id ?? null),
        lead: parent ? `The same people will see it as ${parent.name}.` : 'Your whole team will see it.',
        content: (
          <form class="stack measure" method="post" noValidate>
            <Field formState={formState} name="name" label="Name" />
            <div>
              <button class="button button--primary" type="submit">
                Create
              </button>
            </div>
          </form>
        ),
      };
    },
    form: Type.Object({ name: FolderName }),
    needs: { name: 'Enter a name.' },
    async act(request, { name }) {
      const library = await openLibrary(app, request);
      const parent_id = isUuid(request.query('folder')) ? library.get(request.query('folder')).id : null;
      const { id } = await createFolder(app, request.service.id, { name, parent_id });
      return { to: listPath(request.service.id, { folder: id }), notice: `${name} is ready.` };
    },
  });

  pages.add('/services/:service_id/templates/folders/:folder_id', {
    who,
    below: 'Templates',
    async show(request, formState) {
      const library = await openLibrary(app, request);
      const folder = library.get(request.param('folder_id'));
      const canShare = has(request, 'manage');
      const counts = await countInFolders(app, request.service.id);
      return {
        title: `Manage ${folder.name}`,
        crumbs: buildCrumbs(library, request.service.id, folder.id),
        content: (
          <div class="stack measure">
            <form class="stack" method="post" noValidate>
              <Field formState={formState} name="name" label="Name" value={folder.name} />
              {canShare ? (
                <Choices
                  formState={formState}
                  name="people"
                  legend="Who sees this folder"
                  hint="You always see it yourself."
                  kind="several"
                  choices={withoutVisitor(request, await listActiveMembers(request)).map(
                    ({ id, name, email_address }) => ({
                      value: id,
                      label: name,
                      hint: email_address,
                    }),
                  )}
                  chosen={folder.users_with_permission}
                />
              ) : (
                <p class="small muted">Who sees this folder is decided by those who manage the team.</p>
              )}
              <div>
                <button class="button button--primary" type="submit" name="do" value="save">
                  Save
                </button>
              </div>
            </form>
            <DeleteFolder
              folder={folder}
              isEmpty={(counts.get(folder.id) ?? 0) === 0 && !library.hasInside(folder.id)}
            />
          </div>
        ),
      };
    },
    form: Type.Object({
      do: Type.Optional(Type.String()),
      name: Type.Optional(FolderName),
      people: Type.Array(Uuid),
    }),
    async act(request, form) {
      const { service, visitor, param } = request;
      const library = await openLibrary(app, request);
      const folder = library.get(param('folder_id'));
      if (form.do === 'delete') {
        await deleteFolder(app, service.id, folder.id);
        const parent = library.parentOf(folder);
        return { to: listPath(service.id, { folder: parent?.id }), notice: `${folder.name} is deleted.` };
      }
      const members = await listActiveMembers(request);
      const isMember = members.some(({ id }) => id === visitor.user.id);
      const formerMembers = folder.users_with_permission.filter((id) => !members.some((member) => member.id === id));
      const users = [...form.people, ...formerMembers, ...(isMember ? [visitor.user.id] : [])];
      await updateFolder(app, service.id, folder.id, {
        name: form.name ?? '',
        ...(has(request, 'manage') ? { users_with_permission: users } : {}),
      });
      return { to: listPath(service.id, { folder: folder.id }), notice: 'The folder is saved.' };
    },
  });
}

const withoutVisitor = <Member extends { id: string }>({ visitor }: Writing, members: Member[]): Member[] =>
  members.filter(({ id }) => id !== visitor.user.id);

function DeleteFolder({ folder, isEmpty }: { folder: Folder; isEmpty: boolean }) {
  const to = `/console${listPath(folder.service_id)}/folders/${folder.id}`;
  if (!isEmpty) return <p class="small muted">Only an empty folder can be deleted: move or archive what is in it.</p>;
  return (
    <Confirm label="Delete…" action="Delete" to={to} fields={{ do: 'delete' }}>
      The folder {folder.name} is empty. Nothing else is lost.
    </Confirm>
  );
}
