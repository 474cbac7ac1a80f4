import { Type } from 'typebox';
import { listContactLists } from '../../../jobs/contact-lists/contact-lists.ts';
import {
  createRecurringSend,
  getRecurringSend,
  listRecurringSends,
  pauseRecurringSend,
  previewDates,
  removeRecurringSend,
  resumeRecurringSend,
} from '../../../jobs/recurring/recurring-sends.ts';
import { t } from '../../../language/text.ts';
import { invalidField } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { emptyForm } from '../../forms.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { listFields } from '../send/send-form.ts';
import { getSendableTemplate, listSendableTemplates } from '../send/sendable-templates.ts';
import {
  Check,
  FillIn,
  NothingToSend,
  nameOfTemplate,
  RecurringDetails,
  RecurringTable,
  type Sendable,
} from './recurring-sends.tsx';
import { buildTimes, type RecurringFields, RecurringForm, refuseBadSchedule } from './schedule-form.ts';

const who = { service: 'send', membersOnly: true } as const;
type OfSender = PageRequest<typeof who>;

/** Recurring sends: a template is sent to a contact list again and again. */
export function recurringSendPages(pages: Pages, app: ConsoleApp): void {
  const pathOf = ({ service }: OfSender) => `/services/${service.id}/files/recurring`;
  const crumbsOf = (request: OfSender) => [{ label: t('Recurring sends'), to: pathOf(request) }];

  async function loadSendable({ service, visitor }: OfSender): Promise<Sendable> {
    const templates = await listSendableTemplates(app, service.id, visitor.user.id);
    return {
      templates: templates.filter(({ template_type }) => template_type !== 'letter'),
      lists: await listContactLists(app, service.id),
    };
  }

  pages.add('/services/:service_id/files/recurring', {
    who,
    below: 'Send',
    name: t('Recurring sends'),
    async show(request) {
      const path = pathOf(request);
      return {
        title: t('Recurring sends'),
        lead: t('Templates that go to a contact list again and again.'),
        actions: (
          <ButtonLink to={`${path}/new`} look="primary">
            {t('Add a recurring send')}
          </ButtonLink>
        ),
        content: (
          <RecurringTable
            path={path}
            sends={await listRecurringSends(app, request.service.id)}
            sendable={await loadSendable(request)}
            now={app.clock.now()}
          />
        ),
      };
    },
  });

  async function fillIn(request: OfSender, formState: FormState): Promise<View> {
    const sendable = await loadSendable(request);
    const isPossible = sendable.templates.length > 0 && sendable.lists.length > 0;
    const today = request.viewer.calendar.day(app.clock.now());
    return {
      title: t('Add a recurring send'),
      crumbs: crumbsOf(request),
      content: isPossible ? (
        <FillIn formState={formState} sendable={sendable} today={today} back={pathOf(request)} />
      ) : (
        <NothingToSend serviceId={request.service.id} hasTemplates={sendable.templates.length > 0} />
      ),
    };
  }

  /** Refuses now what would fail on every date. */
  async function refuseUnsendable(request: OfSender, { template_id, contact_list_id }: RecurringFields) {
    const { templates, lists } = await loadSendable(request);
    const template = templates.find(({ id }) => id === template_id);
    if (!template) throw invalidField('template_id', t('Choose a template.'));
    const list = lists.find(({ id }) => id === contact_list_id);
    if (!list) throw invalidField('contact_list_id', t('Choose a contact list.'));
    if (list.template_type !== template.template_type) {
      const problem =
        list.template_type === 'sms'
          ? t('Choose a list of email addresses. This one has phone numbers.')
          : t('Choose a list of phone numbers. This one has email addresses.');
      throw invalidField('contact_list_id', problem);
    }
    const ready = await getSendableTemplate(app, request.service.id, request.visitor.user.id, template_id);
    if (listFields(ready).length > 0) {
      throw invalidField(
        'template_id',
        t('Choose a template without placeholders. A contact list has no values for them.'),
      );
    }
  }

  pages.add('/services/:service_id/files/recurring/new', {
    who,
    below: 'Send',
    show: fillIn,
    form: RecurringForm,
    needs: {
      template_id: t('Choose a template.'),
      contact_list_id: t('Choose a contact list.'),
      frequency: t('Choose how often.'),
      at_time: t('Enter a time, such as 10:00.'),
      starts_on: t('Enter the first day.'),
    },
    check: (_, form) => refuseBadSchedule(form),
    async act(request, form) {
      if (form.do === 'change') {
        return fillIn(request, { ...emptyForm, typed: new Map(Object.entries(form)) });
      }
      await refuseUnsendable(request, form);
      const times = buildTimes(request.viewer, form);
      const dates = previewDates(app, times);
      if (dates.length === 0) throw invalidField('ends_on', t('Choose a later day. There is no date until this one.'));
      const { template_id, contact_list_id } = form;
      if (form.do === 'save') {
        const created_by = request.visitor.user.id;
        await createRecurringSend(app, request.service.id, { template_id, contact_list_id, ...times, created_by });
        return { to: pathOf(request), notice: t('Recurring send saved.') };
      }
      return {
        title: t('Check the next dates'),
        crumbs: crumbsOf(request),
        content: (
          <Check form={form} times={times} dates={dates} sendable={await loadSendable(request)} now={app.clock.now()} />
        ),
      };
    },
  });

  pages.add('/services/:service_id/files/recurring/:recurring_send_id', {
    who,
    below: 'Send',
    async show(request) {
      const { service, param } = request;
      const send = await getRecurringSend(app, service.id, param('recurring_send_id'));
      const sendable = await loadSendable(request);
      return {
        title: nameOfTemplate(sendable, send.template_id),
        crumbs: crumbsOf(request),
        content: (
          <RecurringDetails
            send={send}
            path={`${pathOf(request)}/${send.id}`}
            sendable={sendable}
            now={app.clock.now()}
          />
        ),
      };
    },
    form: Type.Object({ task: OneOf(['pause', 'resume', 'delete']) }),
    async act(request, { task }) {
      const { service, visitor, param } = request;
      const id = param('recurring_send_id');
      const to = `${pathOf(request)}/${id}`;
      if (task === 'pause') {
        await pauseRecurringSend(app, service.id, id);
        return { to, notice: t('Recurring send paused.') };
      }
      if (task === 'resume') {
        const { template_id } = await getRecurringSend(app, service.id, id);
        await getSendableTemplate(app, service.id, visitor.user.id, template_id);
        await resumeRecurringSend(app, service.id, id, visitor.user.id);
        return { to, notice: t('Recurring send resumed. You are its owner now.') };
      }
      await removeRecurringSend(app, service.id, id);
      return { to: pathOf(request), notice: t('Recurring send deleted.') };
    },
  });
}
