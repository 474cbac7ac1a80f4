import { Type } from 'typebox';
import { asIs, t } from '../../../language/text.ts';
import { isSuspended } from '../../../services/service-fields.ts';
import { listTemplateSummaries } from '../../../templates/templates.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { keepSearch } from '../../links.ts';
import { channelLabels, shownChannels } from '../../message-labels.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { ListSearch } from '../../parts/list-search.tsx';
import { Empty } from '../../parts/notice.tsx';
import { OffsetPager, pageSize } from '../../parts/pager.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { whoCan } from '../team/team.ts';
import { readListQuery } from '../templates/list-query.ts';
import { ChoiceTable, countFound, sendPath, sendUrl } from './choose.tsx';
import { openSendableLibrary } from './sendable-templates.ts';

const who = { service: 'send', membersOnly: true } as const;
type OfSender = PageRequest<typeof who>;

/** The start of every manual send: choosing a template. */
export function choosePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/send', {
    who,
    menu: 'Send',
    async show(request) {
      const { service } = request;
      const channels = shownChannels.filter((channel) => service.permissions.includes(channel));
      const suspended = isSuspended(service);
      const asked = readListQuery(app, request);
      const list = { ...asked, channel: channels.find((channel) => channel === asked.channel) };
      const library = await openSendableLibrary(app, service.id, request.visitor.user.id);
      const folder = list.folder === null ? undefined : library.get(list.folder);
      const isSearch = list.find !== '';
      const { templates, count: total } = await listTemplateSummaries(
        app.db,
        {
          service_id: service.id,
          folder: isSearch ? undefined : list.folder,
          folders: library.ids,
          channel: list.channel,
          channels,
          find: list.find,
          archived: false,
        },
        { limit: pageSize, offset: (list.page - 1) * pageSize },
      );
      const folders = isSearch ? [] : library.inside(list.folder);
      const isEmpty = total + folders.length === 0;
      const isNarrowed = isSearch || list.channel !== undefined;
      const paths = new Map(isSearch ? library.paths().map(({ id, path }) => [id, path]) : []);
      return {
        title: folder ? asIs(folder.name) : t('Send'),
        ...(folder ? { about: t('Send'), crumbs: buildCrumbs(request, library.path(folder.parent_id)) } : {}),
        lead: !suspended && t('Choose a template, then who to send it to.'),
        actions: !suspended && (
          <>
            <ButtonLink to={`/services/${service.id}/files`}>{t('Files')}</ButtonLink>
            <ButtonLink to={`/services/${service.id}/contact-lists`}>{t('Contact lists')}</ButtonLink>
            <ButtonLink to={`/services/${service.id}/files/recurring`}>{t('Recurring sends')}</ButtonLink>
            {service.permissions.includes('letter') && (
              <ButtonLink to={`/services/${service.id}/pdf-letters`}>{t('Upload a letter')}</ButtonLink>
            )}
          </>
        ),
        content:
          isEmpty && !isNarrowed ? (
            await describeEmpty(request, folder !== undefined)
          ) : (
            <div class="stack">
              {channels.length > 1 && (
                <Tabs
                  name={t('Channel')}
                  tabs={[undefined, ...channels].map((channel) => ({
                    label: channel ? channelLabels[channel].names : t('All'),
                    to: sendUrl(list, { channel }),
                    isCurrent: channel === list.channel,
                  }))}
                />
              )}
              <ListSearch
                name={t('Templates')}
                label={t('Name, id or words')}
                path={sendUrl(list, { findToken: '' })}
                find={list.find}
                found={countFound(total)}
              />
              {isEmpty ? (
                <Empty title={t('Nothing found')}>{t('Try fewer words, or choose another channel.')}</Empty>
              ) : (
                <ChoiceTable list={list} folders={list.page > 1 ? [] : folders} templates={templates} paths={paths} />
              )}
              <OffsetPager page={list.page} total={total} to={(page) => sendUrl(list, { page })} />
            </div>
          ),
      };
    },
    form: Type.Object({ find: Type.Optional(Type.String({ maxLength: 200 })) }),
    onlyReads: true,
    act(request, { find = '' }) {
      const list = readListQuery(app, request);
      return { to: sendPath(list, { findToken: keepSearch(app, request.visitor, find) }) };
    },
  });

  /** People who can write templates get a button; others see whom to ask. */
  async function describeEmpty({ service, visitor }: OfSender, isFolder: boolean) {
    if (isSuspended(service)) {
      return (
        <Empty title={t('You cannot send messages')}>
          {t('You can send your templates again when the service is resumed.')}
        </Empty>
      );
    }
    if (isFolder) return <Empty title={t('This folder is empty')}>{t('Choose another folder.')}</Empty>;
    if (may({ service: 'templates' }, visitor.user, service) === 'yes') {
      return (
        <Empty
          title={t('No templates yet')}
          action={
            <ButtonLink to={`/services/${service.id}/templates/new`} look="primary">
              {t('Write your first template')}
            </ButtonLink>
          }
        >
          {t('Every message starts as a template.')}
        </Empty>
      );
    }
    const people = await whoCan(app.db, service.id, 'templates');
    return (
      <Empty title={t('No templates yet')}>
        {people === undefined
          ? t('Every message starts as a template. Ask someone who manages the service to let you write one.')
          : t('Every message starts as a template. Ask {people} to write one.', { people })}
      </Empty>
    );
  }
}

function buildCrumbs({ service }: OfSender, folders: { id: string; name: string }[]) {
  const to = `/services/${service.id}/send`;
  return [
    { label: t('Send'), to },
    ...folders.map(({ id, name }) => ({ label: asIs(name), to: `${to}?folder=${id}` })),
  ];
}
