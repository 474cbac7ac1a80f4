import { Type } from 'typebox';
import { isUuid } from '../../../../platform/id.ts';
import { Uuid } from '../../../../protocol/fields.ts';
import { listServiceMembers } from '../../../../services/members/service-members.ts';
import { createFolder, deleteFolder, updateFolder } from '../../../../templates/folders/template-folders.ts';
import { countInFolders } from '../../../../templates/templates.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Asked, Pages } from '../../../page.ts';
import { Choices } from '../../../parts/choices.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Field } from '../../../parts/field.tsx';
import { crumbsOf, type Folder, has, listPath, openLibrary } from '../library.ts';

const who = { service: 'templates' } as const;
type Writing = Asked<typeof who>;
const FolderName = Type.String({ minLength: 1, maxLength: 255 });

export function folderPages(pages: Pages, app: ConsoleApp): void {
  const activeMembers = async ({ service }: Writing) =>
    (await listServiceMembers(app.db, service.id)).filter(({ state }) => state === 'active');

  pages.add('/services/:service_id/templates/folders/new', {
    who,
    below: 'Templates',
    async show(asked, draft) {
      const library = await openLibrary(app, asked);
      const parent = isUuid(asked.query('folder')) ? library.get(asked.query('folder')) : undefined;
      return {
        title: 'New folder',
        crumbs: crumbsOf(library, asked.service.id, parent?.id ?? null),
        lead: parent ? `The same people will see it as ${parent.name}.` : 'Your whole team will see it.',
        content: (
          <form class="stack measure" method="post" noValidate>
            <Field draft={draft} name="name" label="Name" />
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
    async act(asked, { name }) {
      const library = await openLibrary(app, asked);
      const parent_id = isUuid(asked.query('folder')) ? library.get(asked.query('folder')).id : null;
      const { id } = await createFolder(app, asked.service.id, { name, parent_id });
      return { to: listPath(asked.service.id, { folder: id }), notice: `${name} is ready.` };
    },
  });

  pages.add('/services/:service_id/templates/folders/:folder_id', {
    who,
    below: 'Templates',
    async show(asked, draft) {
      const library = await openLibrary(app, asked);
      const folder = library.get(asked.param('folder_id'));
      const canShare = has(asked, 'manage');
      const counts = await countInFolders(app, asked.service.id);
      return {
        title: `Manage ${folder.name}`,
        crumbs: crumbsOf(library, asked.service.id, folder.id),
        content: (
          <div class="stack measure">
            <form class="stack" method="post" noValidate>
              <Field draft={draft} name="name" label="Name" value={folder.name} />
              {canShare ? (
                <Choices
                  draft={draft}
                  name="people"
                  legend="Who sees this folder"
                  hint="You always see it yourself."
                  kind="several"
                  choices={othersOf(asked, await activeMembers(asked)).map(({ id, name, email_address }) => ({
                    value: id,
                    label: name,
                    hint: email_address,
                  }))}
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
    async act(asked, form) {
      const { service, visitor, param } = asked;
      const library = await openLibrary(app, asked);
      const folder = library.get(param('folder_id'));
      if (form.do === 'delete') {
        await deleteFolder(app, service.id, folder.id);
        const parent = library.parentOf(folder);
        return { to: listPath(service.id, { folder: parent?.id }), notice: `${folder.name} is deleted.` };
      }
      const members = await activeMembers(asked);
      const isMember = members.some(({ id }) => id === visitor.user.id);
      const kept = folder.users_with_permission.filter((id) => !members.some((member) => member.id === id));
      const users = [...form.people, ...kept, ...(isMember ? [visitor.user.id] : [])];
      await updateFolder(app, service.id, folder.id, {
        name: form.name ?? '',
        ...(has(asked, 'manage') ? { users_with_permission: users } : {}),
      });
      return { to: listPath(service.id, { folder: folder.id }), notice: 'The folder is saved.' };
    },
  });
}

const othersOf = <Member extends { id: string }>({ visitor }: Writing, members: Member[]): Member[] =>
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
