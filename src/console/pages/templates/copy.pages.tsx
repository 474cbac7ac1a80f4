import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { copyAttachedPages } from '../../../letters/attachments/letter-attachments.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import { isUuid } from '../../../platform/id.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { getService, type Service } from '../../../services/services.ts';
import { copyTemplate } from '../../../templates/files/template-copy.ts';
import { listOrganisationsAndServices } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { FormState, PageRequest, Pages, Redirection, View } from '../../page.ts';
import { Submit } from '../../parts/form.tsx';
import { PlaceChoice } from '../../parts/place-choice.tsx';
import { getSeenTemplate, has, listPath, openLibrary, type Reader } from './library.ts';

type Seen = PageRequest<{ service: 'any' }>;
const maxTemplates = 50;

/** Copies templates to the same or another service. The visitor must be able to see them, and to write templates in the target. */
export function copyPages(pages: Pages, app: ConsoleApp): void {
  async function viewOf(request: Seen, formState: FormState, find: string): Promise<View> {
    const templates = await getChosenTemplates(request);
    const targets = await listTargets(request);
    return {
      title:
        templates.length === 1
          ? t('Copy {name}', { name: templates[0]?.name ?? '' })
          : t('{count, plural, one {Copy # template} other {Copy # templates}}', { count: templates.length }),
      crumbs: [{ label: t('Templates'), to: listPath(request.service.id) }],
      lead: t('Files and attached pages are copied too.'),
      content: (
        <form class="stack measure" method="post" noValidate>
          {targets.length === 0 && (
            <p>{t('You cannot write templates in any of your services. Ask someone who manages one to let you.')}</p>
          )}
          {templates.length === 0 && (
            <p>
              <T>
                <a href={pageUrl(listPath(request.service.id))}>Choose the templates to copy</a> in the list first.
              </T>
            </p>
          )}
          {targets.length > 0 && templates.length > 0 && (
            <>
              <PlaceChoice
                formState={formState}
                name="place"
                label={t('Copy to')}
                places={targets}
                chosen={`${request.service.id} ${templates[0]?.folder ?? ''}`.trim()}
                find={find}
              />
              <Submit back={listPath(request.service.id)}>{t('Copy')}</Submit>
            </>
          )}
        </form>
      ),
    };
  }

  pages.add('/services/:service_id/templates/copy', {
    who: { service: 'any' },
    below: 'Templates',
    show: (request, formState) => viewOf(request, formState, ''),
    form: Type.Object({
      do: Type.Optional(Type.String()),
      find: Type.Optional(Type.String({ maxLength: 200 })),
      place: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    async act(request, { do: wanted, find = '', place }): Promise<View | Redirection> {
      if (wanted === 'find') return viewOf(request, { typed: new Map(), problems: new Map() }, find);
      if (place === undefined) throw invalidField('place', t('Choose a service or a folder.'));
      const [serviceId = '', folder] = place.split(' ');
      const templates = await getChosenTemplates(request);
      if (templates.length === 0) throw invalidField('', t('Choose the templates to copy in the list first.'));
      const target = await openTarget(request, serviceId);
      if (folder !== undefined && !isUuid(folder)) throw notFound();
      if (folder !== undefined) (await openLibrary(app, target)).get(folder);
      for (const { template_type } of templates) refuseIfOff(target.service, template_type);
      const created_by = request.visitor.user.id;
      for (const template of templates) {
        const copy = await copyTemplate(app, template, { service_id: serviceId, folder: folder ?? null, created_by });
        await copyAttachedPages(app, template, copy.id, created_by);
      }
      const notice = t('{count, plural, one {Template copied.} other {# templates copied.}}', {
        count: templates.length,
      });
      return { to: listPath(serviceId, { folder }), notice };
    },
  });

  async function getChosenTemplates(request: Seen) {
    const { template = [] } = request.http.query as { template?: string | string[] };
    const ids = [template].flat();
    if (ids.length > maxTemplates || !ids.every(isUuid)) throw notFound();
    return Promise.all(ids.map((id) => getSeenTemplate(app, request, id)));
  }

  async function openTarget({ visitor }: Seen, serviceId: string): Promise<Reader> {
    if (!isUuid(serviceId)) throw notFound();
    const target = { visitor, service: await getService(app.db, serviceId) };
    if (!has(target, 'templates')) throw notFound();
    return target;
  }

  /** Lists every folder of every service in which the visitor can write: "Town Hall / Appointments". */
  async function listTargets(request: Seen): Promise<{ value: string; label: string }[]> {
    const { services } = await listOrganisationsAndServices(app, request.visitor.user.id);
    const ids = new Set([request.service.id, ...services.map(({ id }) => id)]);
    const targets = await Promise.all([...ids].map((id) => getService(app.db, id)));
    const writable = targets
      .map((service) => ({ visitor: request.visitor, service }))
      .filter((target) => has(target, 'templates'));
    const listed = await Promise.all(
      writable.map(async (target) => [
        { value: target.service.id, label: target.service.name },
        ...(await openLibrary(app, target)).paths().map(({ id, path }) => ({
          value: `${target.service.id} ${id}`,
          label: `${target.service.name} / ${path}`,
        })),
      ]),
    );
    return listed.flat();
  }
}

function refuseIfOff({ name, permissions }: Service, channel: Channel): void {
  if (permissions.includes(channel)) return;
  throw invalidField(
    'place',
    t(
      '{channel, select, email {{name} does not send emails. Choose another service.} sms {{name} does not send texts. Choose another service.} other {{name} does not send letters. Choose another service.}}',
      { channel, name },
    ),
  );
}
