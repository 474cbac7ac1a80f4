import { listRefusedRequests } from '../../../notifications/refused/refused-requests.ts';
import { isUuid } from '../../../platform/id.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Pager } from '../../parts/pager.tsx';
import type { Visitor } from '../../sessions/visitor.ts';
import { exampleRequest, findReady } from '../quick-start/fields.ts';
import { curl } from '../quick-start/snippets.ts';
import { listSeenTemplates, type Reader } from '../templates/library.ts';
import { integrationView } from './integration-tabs.tsx';
import { RefusedList } from './refused-list.tsx';

type Refused = Awaited<ReturnType<typeof listRefusedRequests>>[number];

const pageSize = 50;

export function refusedPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/integration/refused', {
    who: { service: 'api' },
    below: 'Integration',
    async show({ service, visitor, query }) {
      const here = `/console/services/${service.id}/integration/refused`;
      const older_than = isUuid(query('older_than')) ? query('older_than') : undefined;
      const requests = await listRefusedRequests(app, service.id, older_than ? { older_than } : {});
      const correct = await correctedBy({ service, visitor });
      const shown = await Promise.all(
        requests.map(async (request) => ({ ...request, corrected: await correct(request) })),
      );
      const last = requests.length === pageSize ? requests.at(-1)?.id : undefined;
      return integrationView(
        app,
        service,
        'refused',
        <>
          <p class="measure muted">
            Requests of the last 7 days that the API refused: what was wrong, and a request that works. We keep the
            names of fields, no values. Of many in one minute, only the first are listed.
          </p>
          <RefusedList requests={shown} now={app.clock.now()} />
          {(last !== undefined || older_than !== undefined) && (
            <Pager
              shown={`${requests.length} requests`}
              newer={older_than === undefined ? undefined : here}
              older={last === undefined ? undefined : `${here}?older_than=${last}`}
            />
          )}
        </>,
      );
    },
  });

  /** A request with the same template, or with another of the channel; each template is read once. */
  async function correctedBy(reader: Reader) {
    const templates = await listSeenTemplates(app, reader);
    const known = new Map<string, Promise<string | undefined>>();
    return ({ path, template_id, status_code }: Refused): Promise<string | undefined> => {
      if (status_code !== 400 && status_code !== 404) return Promise.resolve(undefined);
      const channel = path.split('/').at(-1);
      const template =
        templates.find(({ id }) => id === template_id) ??
        templates.find(({ template_type }) => template_type === channel) ??
        templates[0];
      if (!template) return Promise.resolve(undefined);
      const text = known.get(template.id) ?? correctRequest(reader.service.id, reader.visitor.user, template.id);
      known.set(template.id, text);
      return text;
    };
  }

  async function correctRequest(
    serviceId: string,
    user: Visitor['user'],
    templateId: string,
  ): Promise<string | undefined> {
    const template = await findReady(app, serviceId, templateId);
    if (!template) return undefined;
    const request = exampleRequest(user, template);
    return curl({ baseUrl: app.config.urls.api, apiKey: 'YOUR_API_KEY', request });
  }
}
