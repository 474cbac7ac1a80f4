import { T } from '../../../language/sentence.tsx';
import { asIs, t } from '../../../language/text.ts';
import { listRefusedRequests } from '../../../notifications/refused/refused-requests.ts';
import { isUuid } from '../../../platform/id.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl, withQuery } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Empty } from '../../parts/notice.tsx';
import { OlderPager } from '../../parts/pager.tsx';
import { Copy } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import type { Visitor } from '../../sessions/sessions.ts';
import { exampleRequest, findReadyTemplate } from '../quick-start/quick-start-form.ts';
import { curl } from '../quick-start/snippets.ts';
import { listSeenTemplates, type Reader } from '../templates/library.ts';
import { integrationView } from './integration-tabs.tsx';

type RefusedRecord = Awaited<ReturnType<typeof listRefusedRequests>>[number];

export function refusedPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/integration/refused', {
    who: { service: 'api' },
    below: 'Integration',
    name: t('Refused requests'),
    async show({ service, visitor, query }) {
      const path = pageUrl(`/services/${service.id}/integration/refused`);
      const older_than = isUuid(query('older_than')) ? query('older_than') : undefined;
      const requests = await listRefusedRequests(app, service.id, older_than ? { older_than } : {});
      const correct = await buildCorrections({ service, visitor });
      const shown = await Promise.all(
        requests.map(async (request) => ({ ...request, corrected: await correct(request) })),
      );
      return integrationView(
        app,
        service,
        'refused',
        <>
          <p class="measure muted">
            {t(
              'Requests of the last 7 days that the API refused: what was wrong, and a request that works. We keep the names of fields, not their values. If many fail in the same minute we only list the first few.',
            )}
          </p>
          <RefusedList requests={shown} now={app.clock.now()} />
          <OlderPager
            rows={requests}
            shown={t('{count, plural, other {# requests}}', { count: requests.length })}
            olderThan={older_than}
            to={(last) => withQuery(path, { older_than: last })}
          />
        </>,
      );
    },
  });

  /** A request with the same template, or with another of the channel; each template is read once. */
  async function buildCorrections(reader: Reader) {
    const templates = await listSeenTemplates(app, reader);
    const known = new Map<string, Promise<string | undefined>>();
    return ({ path, template_id, status_code }: RefusedRecord): Promise<string | undefined> => {
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
    const template = await findReadyTemplate(app, serviceId, templateId);
    if (!template) return undefined;
    const request = exampleRequest(app.country, user, template);
    return curl({ baseUrl: app.config.urls.api, apiKey: 'YOUR_API_KEY', request });
  }
}

/** `corrected` is a command that works; undefined where another request would be refused, too. */
type Refused = RefusedRecord & { corrected: string | undefined };

function RefusedList({ requests, now }: { requests: readonly Refused[]; now: Date }) {
  if (requests.length === 0) {
    return (
      <Empty title={t('Nothing was refused')}>
        {t('A request that the API refuses appears here, with the reason.')}
      </Empty>
    );
  }
  return (
    <ul class="card list">
      {requests.map((request) => (
        <li key={request.id}>
          <RefusedRequest request={request} now={now} />
        </li>
      ))}
    </ul>
  );
}

function RefusedRequest({ request, now }: { request: Refused; now: Date }) {
  const { id, path, status_code, errors, api_key_name, corrected } = request;
  // An email over SMTP has neither a code of the API nor fields.
  const isRequest = path.startsWith('/');
  return (
    <div class="stack stack--tight grow">
      <div class="row">
        <Time at={request.created_at} now={now} />
        <code>{isRequest ? asIs(`POST ${path}`) : path}</code>
        <span class="badge tone-red">{status_code}</span>
        {api_key_name !== null && (
          <span class="muted" dir="auto">
            <T>key “{{ apiKeyName: api_key_name }}”</T>
          </span>
        )}
      </div>
      {errors.map(({ error, message }) => (
        <p key={message}>
          <b>{message}</b> {isRequest && <span class="muted">{error}</span>}
        </p>
      ))}
      {isRequest && (
        <p class="muted">
          {request.fields.length > 0 ? t('Fields: {fields}', { fields: request.fields.join(', ') }) : t('Fields: none')}
          {request.personalisation_fields.length > 0 && (
            <> {t('(personalisation: {fields})', { fields: request.personalisation_fields.join(', ') })}</>
          )}
        </p>
      )}
      {corrected !== undefined && (
        <details class="more">
          <summary>{t('A request that works')}</summary>
          <div class="code">
            <pre id={`corrected-${id}`}>{corrected}</pre>
            <Copy of={`corrected-${id}`} what={t('the request')} />
          </div>
        </details>
      )}
    </div>
  );
}
