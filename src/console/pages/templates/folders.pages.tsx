import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { isUuid } from '../../../platform/id.ts';
import { Name, Uuid } from '../../../protocol/fields.ts';
import { listServiceMembers } from '../../../services/members/service-members.ts';
import { createFolder, deleteFolder, updateFolder } from '../../../templates/folders/template-folders.ts';
import { countInFolders } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { Confirm, SaveForm, Submit } from '../../parts/form.tsx';
import { buildCrumbs, type Folder, has, listPath, openLibrary } from './library.ts';

const who = { service: 'templates' } as const;
type Writing = PageRequest<typeof who>;

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
        title: t('New folder'),
        crumbs: buildCrumbs(library, request.service.id, parent?.id ?? null),
        lead: parent
          ? t('People who can see {name} will see this folder.', { name: parent.name })
          : t('Your whole team will see this folder.'),
        content: (
          <SaveForm action={t('Create')} back={listPath(request.service.id, { folder: parent?.id })}>
            <Field formState={formState} name="name" label={t('Name')} />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ name: Name }),
    needs: { name: t('Enter a name.') },
    async act(request, { name }) {
      const library = await openLibrary(app, request);
      const parent_id = isUuid(request.query('folder')) ? library.get(request.query('folder')).id : null;
      const { id } = await createFolder(app, request.service.id, { name, parent_id });
      return { to: listPath(request.service.id, { folder: id }), notice: t('{name} created.', { name }) };
    },
  });

  pages.add('/services/:service_id/templates/folders/:folder_id', {
    who,
    below: 'Templates',
    async show(request, formState) {
      const library = await openLibrary(app, request);
      const folder = library.get(request.param('folder_id'));
      const canShare = has(request, 'manage');
      const counts = await countInFolders(app.db, request.service.id);
      return {
        title: t('Manage {name}', { name: folder.name }),
        crumbs: buildCrumbs(library, request.service.id, folder.id),
        content: (
          <div class="stack measure">
            <form class="stack" method="post" noValidate>
              <Field formState={formState} name="name" label={t('Name')} value={folder.name} />
              {canShare ? (
                <Choices
                  formState={formState}
                  name="people"
                  legend={t('Who sees this folder')}
                  hint={t('You can always see this folder.')}
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
                <p class="small muted">{t('People who can manage the team decide who sees this folder.')}</p>
              )}
              <Submit>{t('Save')}</Submit>
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
      name: Type.Optional(Name),
      people: Type.Array(Uuid),
    }),
    async act(request, form) {
      const { service, visitor, param } = request;
      const library = await openLibrary(app, request);
      const folder = library.get(param('folder_id'));
      if (form.do === 'delete') {
        await deleteFolder(app, service.id, folder.id);
        const parent = library.parentOf(folder);
        return {
          to: listPath(service.id, { folder: parent?.id }),
          notice: t('{name} deleted.', { name: folder.name }),
        };
      }
      const members = await listActiveMembers(request);
      const isMember = members.some(({ id }) => id === visitor.user.id);
      const formerMembers = folder.users_with_permission.filter((id) => !members.some((member) => member.id === id));
      const users = [...form.people, ...formerMembers, ...(isMember ? [visitor.user.id] : [])];
      await updateFolder(app, service.id, folder.id, {
        name: form.name ?? '',
        ...(has(request, 'manage') ? { users_with_permission: users } : {}),
      });
      return { to: listPath(service.id, { folder: folder.id }), notice: t('Folder saved.') };
    },
  });
}

const withoutVisitor = <Member extends { id: string }>({ visitor }: Writing, members: Member[]): Member[] =>
  members.filter(({ id }) => id !== visitor.user.id);

function DeleteFolder({ folder, isEmpty }: { folder: Folder; isEmpty: boolean }) {
  const to = pageUrl(`${listPath(folder.service_id)}/folders/${folder.id}`);
  if (!isEmpty)
    return <p class="small muted">{t('You can only delete an empty folder. Move or archive what is in it first.')}</p>;
  return (
    <Confirm label={t('Delete…')} action={t('Delete')} to={to} fields={{ do: 'delete' }}>
      <T>This deletes the empty folder {{ name: folder.name }}, and nothing else.</T>
    </Confirm>
  );
}
