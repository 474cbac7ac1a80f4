import { t } from '../../../language/text.ts';
import { searchMessages } from '../../../notifications/history/search-messages.ts';
import { fromStandby } from '../../../platform/db/servers/standby.ts';
import { nilId } from '../../../platform/id.ts';
import { listServiceMembers } from '../../../services/members/service-members.ts';
import type { Service } from '../../../services/services.ts';
import { listTemplateSummaries } from '../../../templates/templates.ts';
import { listOrganisationsAndServices } from '../../../users/users.ts';
import { may } from '../../access/may.ts';
import { menuNames } from '../../layout/menus.ts';
import { keepSearch, withQuery } from '../../links.ts';
import { channelLabels, shortRecipient } from '../../message-labels.ts';
import type { DeclaredPage } from '../../page.ts';
import { parseSearch } from '../messages/list-query.ts';
import { openLibrary } from '../templates/library.ts';
import { type Finder, type Group, groupOf, mayOpen } from './finder.ts';

/** The list page with the same search shows more. */
const maxShown = 5;

/** Finds pages by the name of their menu entry or heading. */
export function findPagesByName({ pages, visitor, service, text }: Finder): Group {
  const found = pages.flatMap((page) => {
    const label = page.name ?? (page.menu && menuNames[page.menu]);
    const path = page.path.replace(':service_id', service?.id ?? ':service_id');
    const isMeant = label && !path.includes(':') && hasText(text, label, page.menu);
    return isMeant && may(page.listedFor ?? page.who, visitor.user, service) === 'yes' ? [{ label, path, page }] : [];
  });
  return groupOf(t('Pages'), found, ({ label, path, page }) => ({ label, to: path, ...aboutPage(page, service) }));
}

function aboutPage({ path, menu, below }: DeclaredPage, service: Service | undefined): { about?: string } {
  if (path.startsWith('/operator')) return { about: t('Operator') };
  if (service && path.includes(':service_id')) return { about: service.name };
  const entry = menu ?? below;
  return entry === 'Your account' ? { about: menuNames[entry] } : {};
}

/** Finds services of the person; for operators, all services of the installation. */
export async function findServices({ app, visitor, text }: Finder): Promise<Group> {
  const { services } = await listOrganisationsAndServices(app, visitor.user.id);
  const found = services.filter(({ name }) => hasText(text, name));
  return groupOf(t('Your services'), found, ({ id, name }) => ({ label: name, to: `/services/${id}` }));
}

/** Finds objects of the open service that the person may see. */
export async function findInService(finder: Finder): Promise<Group[]> {
  const { service } = finder;
  if (!service) return [];
  return Promise.all([findTemplates(finder, service), findPeople(finder, service), findMessages(finder, service)]);
}

async function findTemplates({ app, visitor, text }: Finder, service: Service): Promise<Group> {
  const library = await openLibrary(app, { service, visitor });
  const templatesOfService = `/services/${service.id}/templates`;
  const filter = { service_id: service.id, folder: undefined, folders: library.ids, channel: undefined };
  const page = { limit: maxShown, offset: 0 };
  const { templates, count } = await listTemplateSummaries(app.db, { ...filter, find: text, archived: false }, page);
  const all = withQuery(templatesOfService, { find: keepSearch(app, visitor, text) });
  return {
    title: t('Templates of {name}', { name: service.name }),
    results: templates.map(({ id, name, template_type }) => ({
      label: name,
      to: `${templatesOfService}/${id}`,
      about: channelLabels[template_type].name,
    })),
    ...(count > maxShown
      ? {
          more: {
            label: t('{count, plural, one {# template found} other {All # templates found}}', { count }),
            to: all,
          },
        }
      : {}),
  };
}

async function findPeople(finder: Finder, service: Service): Promise<Group> {
  const title = t('People of {name}', { name: service.name });
  if (!mayOpen(finder, '/team')) return { title, results: [] };
  const members = await listServiceMembers(finder.app.db, service.id);
  const found = members.filter(
    ({ state, name, email_address }) => state !== 'inactive' && hasText(finder.text, name, email_address),
  );
  return groupOf(title, found, ({ id, name, email_address }) => ({
    label: name,
    to: `/services/${service.id}/team${mayOpen(finder, `/team/${id}`) ? `/${id}` : ''}`,
    about: email_address,
  }));
}

/** Finds messages by recipient or reference. The same search in the log finds the rest. */
async function findMessages(finder: Finder, service: Service): Promise<Group> {
  const { app, visitor, viewer, text } = finder;
  const title = t('Messages of {name}', { name: service.name });
  if (!mayOpen(finder, `/messages/${nilId}`)) return { title, results: [] };
  const log = `/services/${service.id}/messages`;
  const search = parseSearch(viewer.calendar, text, app.clock.now());
  const { messages, older } = await fromStandby(app, 'page', (reader) => searchMessages(reader, service.id, search));
  const all = withQuery(log, { find: keepSearch(app, visitor, text) });
  return {
    title,
    results: messages.slice(0, maxShown).map((message) => ({
      label: shortRecipient(app.country.phone, message),
      to: `${log}/${message.shown_id}`,
      about: [message.template_name, message.client_reference].filter(Boolean).join(', '),
    })),
    ...(messages.length > maxShown || older ? { more: { label: t('All messages found'), to: all } } : {}),
  };
}

function hasText(text: string, ...values: (string | null | undefined)[]): boolean {
  return values.some((value) => value?.toLowerCase().includes(text.toLowerCase()));
}
