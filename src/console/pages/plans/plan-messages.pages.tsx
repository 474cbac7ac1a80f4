import { Type } from 'typebox';
import { listCallbacksAbout } from '../../../delivery/callbacks/callback-history.ts';
import { asIs, t } from '../../../language/text.ts';
import { getPlan, listPlans } from '../../../plans/channel-plans.ts';
import { cancelPlanMessage, getPlanMessage, listPlanMessages } from '../../../plans/plan-messages.ts';
import { isOpen, messageStatuses } from '../../../plans/plan-rules.ts';
import { isUuid } from '../../../platform/id.ts';
import { Uuid } from '../../../protocol/fields.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { keepSearch, pageUrl, readSearch, withQuery } from '../../links.ts';
import { several } from '../../money.ts';
import type { PageRequest, Pages, View } from '../../page.ts';
import { Confirm } from '../../parts/form.tsx';
import { OlderPager, pageSize } from '../../parts/pager.tsx';
import { describeMessageCost } from './plan-cost.ts';
import { messageTabs, PlanMessage, PlanMessageTable } from './plan-message.tsx';
import { PlanMessageSearch } from './plan-message-search.tsx';

const who = { service: 'messages' } as const;
type Seen = Pick<PageRequest<typeof who>, 'service' | 'visitor' | 'param'>;

const path = '/services/:service_id/plan-messages';
const listOf = ({ id }: { id: string }) => `/services/${id}/plan-messages`;

/** Messages with a channel plan, and the states of their steps. */
export function planMessagePages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who,
    below: 'Messages',
    name: t('Messages with a channel plan'),
    async show({ service, query, visitor }) {
      const idIn = (name: string) => (isUuid(query(name)) ? query(name).toLowerCase() : undefined);
      const status = messageStatuses.find((known) => known === query('status'));
      const [plan_id, older_than] = [idIn('plan'), idIn('older_than')];
      const find = readSearch(app, visitor, query('find'));
      const reference = find === '' ? undefined : find;
      const plans = await listPlans(app.db, service.id);
      const filter = { plan_id, reference, status, older_than };
      const { messages, hasOlder } = await listPlanMessages(app.db, service.id, filter, pageSize);
      const chosen = { find: reference && query('find'), plan: plan_id };
      const to = (change: { status?: string | undefined; older_than?: string | undefined }) =>
        withQuery(pageUrl(listOf(service)), { ...chosen, ...change });
      return {
        title: t('Messages with a channel plan'),
        crumbs: [{ label: t('Messages'), to: `/services/${service.id}/messages` }],
        content: (
          <div class="stack">
            <PlanMessageSearch path={pageUrl(listOf(service))} reference={find} plan_id={plan_id} plans={plans} />
            {messageTabs(status, (one) => to({ status: one }))}
            <PlanMessageTable
              messages={messages}
              plans={plans}
              path={pageUrl(listOf(service))}
              isFiltered={reference !== undefined || plan_id !== undefined || status !== undefined}
              now={app.clock.now()}
            />
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
    onlyReads: true,
    form: Type.Object({
      find: Type.Optional(Type.String({ maxLength: 1000 })),
      plan: Type.Optional(Uuid),
    }),
    act: ({ service, visitor }, { find = '', plan }) => ({
      to: withQuery(listOf(service), { find: keepSearch(app, visitor, find), plan }),
    }),
  });

  const readerOf = ({ service }: Seen) => ({ service_id: service.id });
  const messagePath = ({ service, param }: Seen) => `${listOf(service)}/${param('plan_message_id')}`;

  pages.add(`${path}/:plan_message_id`, { who, below: 'Messages', show: (request) => view(request) });

  pages.add(`${path}/:plan_message_id/cancel`, {
    who: { service: 'send' },
    below: 'Messages',
    // The form is on the page of the message; only a refusal is shown here.
    show: (request, formState) => (formState.problems.size > 0 ? view(request) : { to: messagePath(request) }),
    form: Type.Object({}),
    async act(request) {
      await cancelPlanMessage(app, readerOf(request), request.param('plan_message_id'));
      return { to: messagePath(request), notice: t('Message cancelled.') };
    },
  });

  async function view(request: Seen): Promise<View> {
    const { service, visitor } = request;
    const message = await getPlanMessage(app.db, readerOf(request), request.param('plan_message_id'));
    const mayCancel = may({ service: 'send' }, visitor.user, service) === 'yes';
    const plan = await getPlan(app.db, service.id, message.plan_id);
    return {
      title: t('Message with a channel plan'),
      about: asIs(plan.name),
      crumbs: [{ label: t('Messages with a channel plan'), to: listOf(service) }],
      actions: isOpen(message.status) && mayCancel && (
        <Confirm label={t('Cancel')} action={t('Cancel this message')} to={pageUrl(`${messagePath(request)}/cancel`)}>
          {t('No further step will start. We withdraw what no provider has, and a letter until it is printed.')}
        </Confirm>
      ),
      content: (
        <PlanMessage
          message={message}
          plan={plan}
          cost={await describeMessageCost(app, message)}
          callbacks={await listCallbacksAbout(app.db, service.id, message.id)}
          notificationUrl={(id) => pageUrl(`/services/${service.id}/messages/${id}`)}
          now={app.clock.now()}
        />
      ),
    };
  }
}
