import { Type } from 'typebox';
import { listCallbacksAbout } from '../../../delivery/callbacks/callback-history.ts';
import { asIs, t } from '../../../language/text.ts';
import { getPlan, listPlans } from '../../../plans/channel-plans.ts';
import { cancelPlanMessage, getPlanMessage, listPlanMessages } from '../../../plans/plan-messages.ts';
import { messageStatuses } from '../../../plans/plan-rules.ts';
import { isUuid } from '../../../platform/id.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl, withQuery } from '../../links.ts';
import { several } from '../../money.ts';
import type { PageRequest, Pages, View } from '../../page.ts';
import { Confirm } from '../../parts/form.tsx';
import { OlderPager, pageSize } from '../../parts/pager.tsx';
import { messageTabs, PlanMessage, PlanMessageTable } from './plan-message.tsx';

const who = { service: 'messages' } as const;
type Seen = Pick<PageRequest<typeof who>, 'service' | 'visitor' | 'param'>;

const path = '/services/:service_id/plan-messages';
const listOf = ({ id }: { id: string }) => `/services/${id}/plan-messages`;

/** Messages that went from channel to channel, and how far they came. */
export function planMessagePages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who,
    below: 'Messages',
    name: t('Messages with a channel plan'),
    async show({ service, query }) {
      const status = messageStatuses.find((known) => known === query('status'));
      const older_than = isUuid(query('older_than')) ? query('older_than').toLowerCase() : undefined;
      const plans = await listPlans(app.db, service.id);
      const { messages, hasOlder } = await listPlanMessages(app.db, service.id, { status, older_than }, pageSize);
      const to = (change: { status?: string | undefined; older_than?: string | undefined }) =>
        withQuery(pageUrl(listOf(service)), change);
      return {
        title: t('Messages with a channel plan'),
        crumbs: [{ label: t('Messages'), to: `/services/${service.id}/messages` }],
        content: (
          <div class="stack">
            {messageTabs(status, (one) => to({ status: one }))}
            <PlanMessageTable messages={messages} plans={plans} path={pageUrl(listOf(service))} now={app.clock.now()} />
            <OlderPager
              rows={messages}
              shown={several(messages.length, 'message')}
              olderThan={older_than}
              to={(last) => to({ status, older_than: last })}
              hasOlder={hasOlder}
            />
          </div>
        ),
      };
    },
  });

  const messagePath = ({ service, param }: Seen) => `${listOf(service)}/${param('plan_message_id')}`;

  pages.add(`${path}/:plan_message_id`, { who, below: 'Messages', show: (request) => view(request) });

  pages.add(`${path}/:plan_message_id/cancel`, {
    who: { service: 'send' },
    below: 'Messages',
    // The form is on the page of the message; only a refusal is shown here.
    show: (request, formState) => (formState.problems.size > 0 ? view(request) : { to: messagePath(request) }),
    form: Type.Object({}),
    async act(request) {
      await cancelPlanMessage(app, request.service.id, request.param('plan_message_id'));
      return { to: messagePath(request), notice: t('Message cancelled.') };
    },
  });

  async function view(request: Seen): Promise<View> {
    const { service, visitor } = request;
    const message = await getPlanMessage(app.db, service.id, request.param('plan_message_id'));
    const isOpen = message.status === 'created' || message.status === 'in-progress';
    const mayCancel = may({ service: 'send' }, visitor.user, service) === 'yes';
    const plan = await getPlan(app.db, service.id, message.plan_id);
    return {
      title: t('Message with a channel plan'),
      about: asIs(plan.name),
      crumbs: [{ label: t('Messages with a channel plan'), to: listOf(service) }],
      actions: isOpen && mayCancel && (
        <Confirm label={t('Cancel')} action={t('Cancel this message')} to={pageUrl(`${messagePath(request)}/cancel`)}>
          {t('No further step will start. We withdraw what no provider has, and a letter until it is printed.')}
        </Confirm>
      ),
      content: (
        <PlanMessage
          message={message}
          plan={plan}
          callbacks={await listCallbacksAbout(app.db, service.id, message.id)}
          notificationUrl={(id) => pageUrl(`/services/${service.id}/messages/${id}`)}
          now={app.clock.now()}
        />
      ),
    };
  }
}
