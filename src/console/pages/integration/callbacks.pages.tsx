import { Type } from 'typebox';
import {
  countFailedCallbacks,
  listCallbacks,
  replayCallback,
  replayFailedCallbacks,
  sendTestCallback,
} from '../../../delivery/callbacks/callback-history.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import { isUuid } from '../../../platform/id.ts';
import { Uuid } from '../../../protocol/fields.ts';
import type { Service } from '../../../services/services.ts';
import {
  BearerToken,
  type CallbackType,
  CallbackUrl,
  createCallback,
  deleteCallback,
  getCallback,
  updateCallback,
} from '../../../services/settings/callback-api.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { withQuery } from '../../links.ts';
import { count } from '../../money.ts';
import type { Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { SaveForm } from '../../parts/form.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { CallbackTable, CallbackTargets, callbackNames, callbackStatuses, shownCallbackTypes } from './callbacks.tsx';
import { formatFailedCount, integrationView } from './integration-tabs.tsx';

const statuses = ['waiting', 'delivered', 'failed'] as const;
const pageSize = 50;
const messagePath = '/services/:service_id/messages/:message_id';

/** Where the callbacks of each kind are sent, and what was sent there, with every attempt. */
export function callbackPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/integration/callbacks', {
    who: { service: 'api' },
    below: 'Integration',
    name: 'Callbacks',
    async show({ service, visitor, query }) {
      const path = `/console/services/${service.id}/integration/callbacks`;
      const status = statuses.find((known) => known === query('status'));
      const older_than = isUuid(query('older_than')) ? query('older_than') : undefined;
      const targets = await Promise.all(
        service.service_callback_api.map(async ({ callback_id: id, callback_type }) => ({
          callback_type,
          url: (await getCallback(app.db, { id, service_id: service.id })).url,
        })),
      );
      const callbacks = await listCallbacks(app, service.id, {
        ...(status ? { status } : {}),
        ...(older_than ? { older_than } : {}),
      });
      const failed = await countFailedCallbacks(app, service.id);
      const last = callbacks.length === pageSize ? callbacks.at(-1)?.id : undefined;
      const messagePage = pages.all.find((page) => page.path === messagePath);
      const maySeeMessages = messagePage !== undefined && may(messagePage.who, visitor.user, service) === 'yes';
      return integrationView(
        app,
        service,
        'callbacks',
        <>
          <CallbackTargets service={service} targets={targets} />
          <section class="stack stack--tight" aria-labelledby="sent">
            <div class="toolbar">
              <h2 id="sent">Sent in the last days</h2>
              <Segments
                name="Status"
                tabs={[undefined, ...statuses].map((tab) => ({
                  label: tab ? callbackStatuses[tab].label : 'All',
                  to: withQuery(path, { status: tab }),
                  isCurrent: tab === status,
                }))}
              />
              {failed > 0 && (
                <form method="post" action={`${path}/replay-failed`}>
                  <button class="button button--small" type="submit">
                    Replay {formatFailedCount(failed)} failed
                  </button>
                </form>
              )}
            </div>
            <CallbackTable
              service={service}
              callbacks={callbacks}
              maxAttempts={app.config.callbacks.retryDelays_ms.length + 1}
              now={app.clock.now()}
              maySeeMessages={maySeeMessages}
            />
            {(last !== undefined || older_than !== undefined) && (
              <Pager
                shown={`${callbacks.length} callbacks`}
                newer={older_than === undefined ? undefined : withQuery(path, { status })}
                older={last === undefined ? undefined : withQuery(path, { status, older_than: last })}
              />
            )}
          </section>
        </>,
      );
    },
  });

  pages.add('/services/:service_id/integration/callbacks/replay-failed', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/callbacks` }),
    form: Type.Object({}),
    async act({ service }) {
      const replayed = await replayFailedCallbacks(app, service.id, {});
      const notice =
        replayed === 0
          ? 'Nothing was replayed: no URL is set for these callbacks.'
          : `${count(replayed)} ${replayed === 1 ? 'callback is' : 'callbacks are'} sent again, to the URL of now.`;
      return { to: `/services/${service.id}/integration/callbacks`, notice };
    },
  });

  pages.add('/services/:service_id/integration/callbacks/replay', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/callbacks` }),
    form: Type.Object({ callback_id: Uuid }),
    async act({ service }, { callback_id }) {
      await replayCallback(app, service.id, callback_id);
      const notice = 'The callback is sent again, to the URL of now.';
      return { to: `/services/${service.id}/integration/callbacks`, notice };
    },
  });

  pages.add('/services/:service_id/integration/callbacks/:callback_type', {
    who: { service: 'api' },
    below: 'Integration',
    async show({ service, param }, formState) {
      const type = parseCallbackType(param('callback_type'));
      const current = await findTarget(service, type);
      const back = `/services/${service.id}/integration/callbacks`;
      const { name, hint } = callbackNames[type];
      return {
        title: name,
        lead: hint,
        crumbs: [{ label: 'Callbacks', to: back }],
        content: (
          <SaveForm back={back}>
            <Field
              formState={formState}
              name="url"
              label="URL"
              hint={`We post JSON there. It begins with https://.${current ? ' Empty: no more callbacks.' : ''}`}
              type="url"
              value={current?.url}
              autocomplete="off"
            />
            <Field
              formState={formState}
              name="bearer_token"
              label="Bearer token"
              hint={
                current
                  ? 'It is never shown again. Empty: it stays as it is.'
                  : 'At least 10 characters. We send it in the header Authorization, so that you know us.'
              }
              autocomplete="off"
              code
            />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ url: Type.Optional(CallbackUrl), bearer_token: Type.Optional(BearerToken) }),
    async act({ service, visitor, param }, { url, bearer_token }) {
      const callback_type = parseCallbackType(param('callback_type'));
      const current = await findTarget(service, callback_type);
      const to = `/services/${service.id}/integration/callbacks`;
      if (url === undefined) {
        if (bearer_token !== undefined) throw invalidField('url', 'Enter the URL, too.');
        if (current) await deleteCallback(app, { id: current.id, service_id: service.id });
        return { to, notice: `No callbacks are sent: ${callbackNames[callback_type].name}.` };
      }
      const updated_by_id = visitor.user.id;
      if (!current) {
        if (bearer_token === undefined) throw invalidField('bearer_token', 'Enter a token.');
        await createCallback(app, service.id, { callback_type, url, bearer_token, updated_by_id });
      } else {
        if (bearer_token === undefined && !isSameOrigin(url, current.url)) {
          throw invalidField('bearer_token', 'Enter a token for the new address, too.');
        }
        await updateCallback(app, { id: current.id, service_id: service.id }, { url, bearer_token, updated_by_id });
      }
      return { to, notice: 'The callback is saved. Send a test to see whether it arrives.' };
    },
  });

  pages.add('/services/:service_id/integration/callbacks/:callback_type/test', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/callbacks` }),
    form: Type.Object({}),
    async act({ service, param }) {
      await sendTestCallback(app, service.id, parseCallbackType(param('callback_type')));
      const notice = 'A test call is on its way. Its result appears in the list in a few seconds.';
      return { to: `/services/${service.id}/integration/callbacks`, notice };
    },
  });

  async function findTarget(service: Service, type: CallbackType) {
    const listed = service.service_callback_api.find(({ callback_type }) => callback_type === type);
    return listed && getCallback(app.db, { id: listed.callback_id, service_id: service.id });
  }
}

function parseCallbackType(text: string): CallbackType {
  const type = shownCallbackTypes.find((known) => known === text);
  if (!type) throw notFound();
  return type;
}

function isSameOrigin(url: string, current: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(current).origin;
}
