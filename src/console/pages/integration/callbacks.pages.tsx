import { Type } from 'typebox';
import { Value } from 'typebox/value';
import {
  countFailedCallbacks,
  listCallbacks,
  replayCallback,
  replayFailedCallbacks,
  sendTestCallback,
} from '../../../delivery/callbacks/callback-history.ts';
import { T } from '../../../language/sentence.tsx';
import { type Text, t } from '../../../language/text.ts';
import { invalid, notFound } from '../../../platform/failure.ts';
import { isUuid } from '../../../platform/id.ts';
import { Uuid } from '../../../protocol/fields.ts';
import type { Service } from '../../../services/services.ts';
import {
  BearerToken,
  type CallbackType,
  CallbackUrl,
  createCallback,
  deleteCallback,
  findUrlProblem,
  getCallback,
  type UrlProblem,
  updateCallback,
} from '../../../services/settings/callback-api.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl, withQuery } from '../../links.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { SaveForm } from '../../parts/form.tsx';
import { Live, sendFragment } from '../../parts/live.tsx';
import { OlderPager } from '../../parts/pager.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { CallbackList, CallbackTargets, callbackNames, callbackStatuses, shownCallbackTypes } from './callbacks.tsx';
import { formatFailedCount, integrationView } from './integration-tabs.tsx';

const statuses = ['waiting', 'delivered', 'failed'] as const;
const messagePath = '/services/:service_id/messages/:message_id';

type Seen = PageRequest<{ service: 'api' }>;

/** Where the callbacks of each kind are sent, and what was sent there, with every attempt. */
export function callbackPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/integration/callbacks', {
    who: { service: 'api' },
    below: 'Integration',
    name: t('Callbacks'),
    async show(request) {
      const { service } = request;
      const { status, older_than, url } = parseQuery(request);
      const targets = await Promise.all(
        service.service_callback_api.map(async ({ callback_id: id, callback_type }) => ({
          callback_type,
          url: (await getCallback(app.db, { id, service_id: service.id })).url,
        })),
      );
      const failed = await countFailedCallbacks(app, service.id);
      const { list, callbacks, isOpen } = await readList(request);
      return integrationView(
        app,
        service,
        'callbacks',
        <>
          <CallbackTargets service={service} targets={targets} />
          <section class="stack stack--tight" aria-labelledby="sent">
            <div class="toolbar">
              <h2 id="sent">{t('Recent callbacks')}</h2>
              <Segments
                name={t('Status')}
                tabs={[undefined, ...statuses].map((tab) => ({
                  label: tab ? callbackStatuses[tab].label : t('All'),
                  to: withQuery(url, { status: tab }),
                  isCurrent: tab === status,
                }))}
              />
              {failed > 0 && (
                <form method="post" action={`${url}/replay-failed`}>
                  <button class="button button--small" type="submit">
                    <T>Replay {{ failed: formatFailedCount(failed) }} failed</T>
                  </button>
                </form>
              )}
            </div>
            {isOpen ? (
              <Live from={withQuery(`${url}/list`, { status, older_than })} isWhole>
                {list}
              </Live>
            ) : (
              list
            )}
            <OlderPager
              rows={callbacks}
              shown={t('{count, plural, other {# callbacks}}', { count: callbacks.length })}
              olderThan={older_than}
              to={(last) => withQuery(url, { status, older_than: last })}
            />
          </section>
        </>,
      );
    },
  });

  pages.add('/services/:service_id/integration/callbacks/list', {
    who: { service: 'api' },
    live: true,
    show: async (request) => sendFragment(request.http, request.reply, (await readList(request)).list),
  });

  function parseQuery({ service, query }: Seen) {
    return {
      status: statuses.find((known) => known === query('status')),
      older_than: isUuid(query('older_than')) ? query('older_than') : undefined,
      url: pageUrl(`/services/${service.id}/integration/callbacks`),
    };
  }

  /** The list is open while a callback waits: its result is about to come. */
  async function readList(request: Seen) {
    const { service, visitor } = request;
    const { status, older_than, url } = parseQuery(request);
    const callbacks = await listCallbacks(app, service.id, {
      ...(status ? { status } : {}),
      ...(older_than ? { older_than } : {}),
    });
    const messagePage = pages.all.find((page) => page.path === messagePath);
    const isOpen = callbacks.some((callback) => callback.status === 'waiting');
    const list = (
      <CallbackList
        service={service}
        callbacks={callbacks}
        maxAttempts={app.config.callbacks.retryDelays_ms.length + 1}
        now={app.clock.now()}
        maySeeMessages={messagePage !== undefined && may(messagePage.who, visitor.user, service) === 'yes'}
        again={isOpen ? withQuery(url, { status, older_than }) : undefined}
      />
    );
    return { list, callbacks, isOpen };
  }

  pages.add('/services/:service_id/integration/callbacks/replay-failed', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/callbacks` }),
    form: Type.Object({}),
    async act({ service }) {
      const replayed = await replayFailedCallbacks(app, service.id, {});
      const notice =
        replayed === 0
          ? t('No callbacks replayed. Set a URL for them first.')
          : t(
              '{replayed, plural, one {# callback replayed to the current URL.} other {# callbacks replayed to the current URL.}}',
              { replayed },
            );
      return { to: `/services/${service.id}/integration/callbacks`, notice };
    },
  });

  pages.add('/services/:service_id/integration/callbacks/replay', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/callbacks` }),
    form: Type.Object({ callback_id: Uuid }),
    async act({ service }, { callback_id }) {
      await replayCallback(app, service.id, callback_id);
      const notice = t('Callback replayed to the current URL.');
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
        crumbs: [{ label: t('Callbacks'), to: back }],
        content: (
          <SaveForm back={back}>
            <Field
              formState={formState}
              name="url"
              label={t('URL')}
              hint={
                current
                  ? t('We post JSON to this address. Leave it empty to stop callbacks.')
                  : t('We post JSON to this address, for example https://example.org/callbacks.')
              }
              type="url"
              value={current?.url}
              autocomplete="off"
            />
            <Field
              formState={formState}
              name="bearer_token"
              label={t('Bearer token')}
              hint={
                current
                  ? t('We never show it again. Leave it empty to keep the current token.')
                  : t(
                      'Use at least 10 characters. We send it in the Authorization header so you know the request is from us.',
                    )
              }
              autocomplete="off"
              code
            />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ url: Type.Optional(Type.String()), bearer_token: Type.Optional(Type.String()) }),
    async act({ service, visitor, param }, { url, bearer_token }) {
      const callback_type = parseCallbackType(param('callback_type'));
      const current = await findTarget(service, callback_type);
      const to = `/services/${service.id}/integration/callbacks`;
      const problems = {
        ...findUrlProblemText(app, url, bearer_token),
        ...findTokenProblemText(url, bearer_token, current),
      };
      if (Object.keys(problems).length > 0) throw invalid(problems);
      if (url === undefined) {
        if (current) await deleteCallback(app, { id: current.id, service_id: service.id });
        return { to, notice: stopped[callback_type] };
      }
      const updated_by_id = visitor.user.id;
      if (current) {
        await updateCallback(app, { id: current.id, service_id: service.id }, { url, bearer_token, updated_by_id });
      } else {
        const token = bearer_token ?? '';
        await createCallback(app, service.id, { callback_type, url, bearer_token: token, updated_by_id });
      }
      return { to, notice: t('Callback saved. Send a test to check that it arrives.') };
    },
  });

  pages.add('/services/:service_id/integration/callbacks/:callback_type/test', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/callbacks` }),
    form: Type.Object({}),
    async act({ service, param }) {
      await sendTestCallback(app, service.id, parseCallbackType(param('callback_type')));
      const notice = t('Test call sent. Its result appears in the list below.');
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

const urlProblems: Record<UrlProblem, string> = {
  'not-https': t('Enter an address that starts with https://.'),
  inside: t(
    'Enter an address that starts with https://. To call a program on this machine, start Pennypost with CALLBACK_ALLOW_PRIVATE=true.',
  ),
  password: t('Remove the user name and password from the address.'),
};

function findUrlProblemText(app: ConsoleApp, url: string | undefined, token: string | undefined): { url?: string } {
  if (url === undefined) return token === undefined ? {} : { url: t('Enter the URL for this token.') };
  if (!Value.Check(CallbackUrl, url)) return { url: t('Enter a URL of at most 2,000 characters.') };
  const problem = findUrlProblem(app, url);
  return problem ? { url: urlProblems[problem] } : {};
}

/** A token is not sent to a new origin: whoever sets the URL may not know it. */
function findTokenProblemText(
  url: string | undefined,
  token: string | undefined,
  current: { url: string } | undefined,
): { bearer_token?: string } {
  if (token !== undefined) {
    return Value.Check(BearerToken, token) ? {} : { bearer_token: t('Enter a token of 10 to 2,000 characters.') };
  }
  if (url === undefined || (current && isSameOrigin(url, current.url))) return {};
  return { bearer_token: current ? t('Enter a token for the new address.') : t('Enter a token.') };
}

const stopped: Record<CallbackType, Text> = {
  delivery_status: t('Callbacks about delivery status stopped.'),
  message_status: t('Callbacks about message status stopped.'),
  inbound_sms: t('Callbacks about received texts stopped.'),
  complaint: t('Callbacks about complaints stopped.'),
  returned_letter: t('Callbacks about returned letters stopped.'),
};

function isSameOrigin(url: string, current: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(current).origin;
}
