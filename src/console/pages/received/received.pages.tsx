import { Type } from 'typebox';
import { getInboundText, listConversations, listInbox, rejectOptOut } from '../../../inbound/inbound-texts.ts';
import { t } from '../../../language/text.ts';
import { optOutAfterReview } from '../../../notifications/sending/keyword-replies.ts';
import { fromStandby } from '../../../platform/db/servers/standby.ts';
import { csvLine, sendCsv } from '../../../platform/http/csv.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { reachable } from '../../access/find-page.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { ButtonLink, Confirm } from '../../parts/form.tsx';
import { Live, sendFragment } from '../../parts/live.tsx';
import { formatPhoneNumber } from '../../parts/phone-number.ts';
import { ZoneOfFile } from '../../parts/time.tsx';
import { Conversation, Inbox, readConversation } from './received.tsx';

type Seen = PageRequest<{ service: 'activity' }>;
const who = { service: 'activity' } as const;
/** People who can send texts also decide who must not get any. */
const decides = { service: 'send', membersOnly: true } as const;

/** Texts that the service received in the last week. */
export function receivedPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/received', {
    who,
    menu: 'Received',
    async show(request) {
      const path = buildUrl(request);
      return {
        title: t('Received texts'),
        lead: t('The latest text from each number in the last 7 days.'),
        actions: (
          <>
            <span data-live-controls />
            <ZoneOfFile />
            <ButtonLink to={`/services/${request.service.id}/settings/text/opt-outs`} small>
              {t('Opt-outs')}
            </ButtonLink>
            <ButtonLink to={`/services/${request.service.id}/received/csv`} small download>
              {t('Download CSV')}
            </ButtonLink>
          </>
        ),
        content: <Live from={`${path}/list?page=${parsePage(request)}`}>{await inbox(request)}</Live>,
      };
    },
  });

  pages.add('/services/:service_id/received/list', {
    who,
    live: true,
    show: async (request) => sendFragment(request.http, request.reply, <div data-live>{await inbox(request)}</div>),
  });

  pages.add('/services/:service_id/received/csv', {
    who,
    async show({ service, reply }) {
      const texts = await fromStandby(app, 'file', (reader) => listInbox(reader, service.id));
      async function* parts() {
        yield csvLine(['Phone number', 'Message', 'Received']);
        for (const { user_number, content, created_at } of texts) {
          yield csvLine([user_number, content, app.country.calendar.time(new Date(created_at))]);
        }
      }
      return {
        sent: sendCsv(reply, `Received texts ${app.country.calendar.day(app.clock.now())}.csv`, parts()),
      };
    },
  });

  pages.add('/services/:service_id/received/:received_id', {
    who,
    below: 'Received',
    async show(request) {
      const { service, visitor } = request;
      const text = await getInboundText(app, service.id, request.param('received_id'));
      const path = `${buildUrl(request)}/${text.id}`;
      return {
        title: t('Conversation with {userNumber}', {
          userNumber: formatPhoneNumber(app.country.phone, text.user_number),
        }),
        crumbs: [{ label: t('Received texts'), to: `/services/${service.id}/received` }],
        actions: (
          <>
            <span data-live-controls />
            {may({ service: 'send', membersOnly: true }, visitor.user, service) === 'yes' && (
              <ButtonLink to={`/services/${service.id}/received/${text.id}/reply`} look="primary">
                {t('Reply')}
              </ButtonLink>
            )}
          </>
        ),
        content: <Live from={`${path}/thread`}>{await conversation(request)}</Live>,
      };
    },
  });

  pages.add('/services/:service_id/received/:received_id/thread', {
    who,
    live: true,
    show: async (request) =>
      sendFragment(request.http, request.reply, <div data-live>{await conversation(request)}</div>),
  });

  pages.add('/services/:service_id/received/:received_id/opt-out', {
    who: decides,
    below: 'Received',
    async show({ service, visitor, param }) {
      const { id, user_number, content } = await getInboundText(app, service.id, param('received_id'));
      const conversationPath = `/services/${service.id}/received/${id}`;
      const crumbs = [
        { label: t('Received texts'), to: `/services/${service.id}/received` },
        { label: t('Conversation'), to: conversationPath },
      ];
      return {
        title: t('Stop texts to {userNumber}?', { userNumber: formatPhoneNumber(app.country.phone, user_number) }),
        ...(may(who, visitor.user, service) === 'yes' ? { crumbs } : {}),
        content: (
          <div class="stack measure">
            <div class="phone">
              <p class="bubble">{content}</p>
            </div>
            <Confirm
              label={t('Stop texts')}
              action={t('Stop texts')}
              to={pageUrl(`${conversationPath}/opt-out`)}
              fields={{ decision: 'stop' }}
            >
              {t(
                'If the person wants no more texts from your service, stop sending them. We confirm this with a text that says how to get texts again.',
              )}
            </Confirm>
            <form method="post">
              <input type="hidden" name="decision" value="go-on" />
              <button class="button button--small" type="submit">
                {t('Not an opt-out')}
              </button>
            </form>
          </div>
        ),
      };
    },
    form: Type.Object({ decision: OneOf(['stop', 'go-on']) }),
    async act({ service, param }, { decision }) {
      const { id } = await getInboundText(app, service.id, param('received_id'));
      const to = `/services/${service.id}/received/${id}`;
      if (decision === 'go-on') {
        await rejectOptOut(app.db, service.id, id);
        return { to, notice: t('Mark removed. Your service can still send texts to this number.') };
      }
      await optOutAfterReview(app, service.id, id);
      return { to, notice: t('Stopped. Your service sends no more texts to this number.') };
    },
  });

  const buildUrl = ({ service }: Seen) => pageUrl(`/services/${service.id}/received`);
  const parsePage = ({ query }: Seen) => (/^[1-9]\d{0,5}$/.test(query('page')) ? Number(query('page')) : 1);

  async function inbox(request: Seen) {
    const { service } = request;
    const page = parsePage(request);
    const { data, has_next } = await listConversations(app, service.id, page);
    return (
      <Inbox
        texts={data}
        page={page}
        hasNext={has_next}
        path={buildUrl(request)}
        now={app.clock.now()}
        phone={app.country.phone}
        hasNumber={service.permissions.includes('inbound_sms')}
        setting={reachable(pages.all, request.visitor.user, `/services/${service.id}/settings/text/receive`, service)}
      />
    );
  }

  async function conversation({ service, param, visitor }: Seen) {
    const text = await getInboundText(app, service.id, param('received_id'));
    const mayOpen = may({ service: 'messages' }, visitor.user, service) === 'yes';
    return (
      <Conversation
        entries={await readConversation(app, service.id, text.user_number)}
        messages={mayOpen ? pageUrl(`/services/${service.id}/messages`) : undefined}
        received={
          may(decides, visitor.user, service) === 'yes' ? pageUrl(`/services/${service.id}/received`) : undefined
        }
        now={app.clock.now()}
      />
    );
  }
}
