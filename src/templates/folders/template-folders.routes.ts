import { Type } from 'typebox';
import { acceptsLongLists } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Name, NoContent, Nullable, OfService, Uuid } from '../../protocol/fields.ts';
import { createFolder, deleteFolder, listFolders, moveIntoFolder, updateFolder } from './template-folders.ts';

const OfFolder = Type.Object({ service_id: Uuid, folder_id: Uuid });

const Folder = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    parent_id: Nullable(Uuid),
    service_id: Uuid,
    users_with_permission: Type.Array(Uuid),
  },
  { title: 'TemplateFolder' },
);

const Contents = Type.Object({ templates: Type.Array(Uuid), folders: Type.Array(Uuid) });

export function templateFolderRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/template-folder',
    {
      schema: {
        summary: 'List the template folders of a service',
        params: OfService,
        response: { 200: Type.Object({ template_folders: Type.Array(Folder) }) },
      },
    },
    async (request) => ({ template_folders: await listFolders(app.db, request.params.service_id) }),
  );

  http.post(
    '/service/:service_id/template-folder',
    {
      schema: {
        summary: 'Create a template folder, which inherits the members of its parent',
        params: OfService,
        body: Type.Object({ name: Name, parent_id: Nullable(Uuid) }),
        response: { 201: Data(Folder) },
      },
    },
    async (request, reply) => {
      const { name, parent_id } = request.body;
      return reply.code(201).send({ data: await createFolder(app, request.params.service_id, { name, parent_id }) });
    },
  );

  http.post(
    '/service/:service_id/template-folder/:folder_id',
    {
      schema: {
        summary: 'Rename a template folder and set its members',
        params: OfFolder,
        body: Type.Object({ name: Name, users_with_permission: Type.Optional(Type.Array(Uuid)) }),
        response: { 200: Data(Folder) },
      },
    },
    async (request) => {
      const { service_id, folder_id } = request.params;
      return { data: await updateFolder(app, service_id, folder_id, request.body) };
    },
  );

  http.delete(
    '/service/:service_id/template-folder/:folder_id',
    { schema: { summary: 'Delete an empty template folder', params: OfFolder, response: { 204: NoContent } } },
    async (request, reply) => {
      await deleteFolder(app, request.params.service_id, request.params.folder_id);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/service/:service_id/template-folder/contents',
    {
      ...acceptsLongLists,
      schema: {
        summary: 'Move templates and folders to the root',
        params: OfService,
        body: Contents,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await moveIntoFolder(app, request.params.service_id, null, request.body);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/service/:service_id/template-folder/:folder_id/contents',
    {
      ...acceptsLongLists,
      schema: {
        summary: 'Move templates and folders into a folder',
        params: OfFolder,
        body: Contents,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await moveIntoFolder(app, request.params.service_id, request.params.folder_id, request.body);
      return reply.code(204).send(null);
    },
  );
}
