import type { ConsoleApp } from '../../console-app.ts';
import { Icon } from '../../layout/icon.tsx';
import { channelWords, shownChannels } from '../../message-words.ts';
import type { Pages } from '../../page.ts';
import { Stamp } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { listSendableTemplates } from './sendable-templates.ts';

/** The beginning of everything that is sent by hand: with which template? */
export function choosePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/send', {
    who: { service: 'send', membersOnly: true },
    menu: 'Send',
    async show({ service, visitor, query }) {
      const all = await listSendableTemplates(app, service.id, visitor.user.id);
      const allowed = all.filter(({ template_type }) => service.permissions.includes(template_type));
      const channels = shownChannels.filter((channel) =>
        allowed.some(({ template_type }) => template_type === channel),
      );
      const channel = channels.find((allowedChannel) => allowedChannel === query('channel'));
      const shown = allowed.filter(({ template_type }) => channel === undefined || template_type === channel);
      const path = `/console/services/${service.id}`;
      return {
        title: 'Send',
        lead: 'Choose a template, then whom it goes to.',
        actions: (
          <>
            <a class="button" href={`${path}/files`}>
              Files
            </a>
            <a class="button" href={`${path}/contact-lists`}>
              Contact lists
            </a>
            {service.permissions.includes('letter') && (
              <a class="button" href={`${path}/pdf-letters`}>
                Upload a letter
              </a>
            )}
          </>
        ),
        content: (
          <div class="stack">
            {channels.length > 1 && (
              <Tabs
                name="Channel"
                tabs={[
                  { label: 'All', to: `${path}/send`, isCurrent: channel === undefined },
                  ...channels.map((tab) => ({
                    label: `${channelWords[tab].name}s`,
                    to: `${path}/send?channel=${tab}`,
                    isCurrent: tab === channel,
                  })),
                ]}
              />
            )}
            {shown.length === 0 ? (
              <div class="empty">
                <h2>There is no template to send with</h2>
                <p>Every message is written as a template first. Ask a person who may edit templates to write one.</p>
              </div>
            ) : (
              <Table
                caption="Templates"
                rows={shown}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'Template',
                    cell: ({ name, template_type }) => (
                      <span class="row row--tight">
                        <Stamp channel={channelWords[template_type].stamp} small />
                        {name}
                      </span>
                    ),
                  },
                  {
                    head: 'Send to',
                    hidden: true,
                    cell: ({ id, name }) => (
                      <>
                        <a class="button button--small" href={`${path}/send/${id}`}>
                          <Icon name="user" small />
                          One person<span class="sr"> with {name}</span>
                        </a>{' '}
                        <a class="button button--small" href={`${path}/files/new/${id}`}>
                          <Icon name="file" small />A file<span class="sr"> with {name}</span>
                        </a>
                      </>
                    ),
                  },
                ]}
              />
            )}
          </div>
        ),
      };
    },
  });
}
