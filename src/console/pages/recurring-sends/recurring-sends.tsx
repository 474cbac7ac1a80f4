import type { getContactList } from '../../../jobs/contact-lists/contact-lists.ts';
import type { getRecurringSend, RecurringSend } from '../../../jobs/recurring/recurring-sends.ts';
import { ownerReasons } from '../../../jobs/recurring/run-reasons.ts';
import { asIs, type Text, t } from '../../../language/text.ts';
import { pageUrl } from '../../links.ts';
import type { FormState } from '../../page.ts';
import { Choices, Field, Select } from '../../parts/field.tsx';
import { ButtonLink, Confirm, Submit } from '../../parts/form.tsx';
import { Empty, Notice } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { Summary, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { DayField, NumberField } from '../../parts/value-fields.tsx';
import { useViewer } from '../../viewer.ts';
import type { listSendableTemplates } from '../send/sendable-templates.ts';
import { describeReason, describeTimes, type RecurringFields, weekdays, weeks } from './schedule-form.ts';

/** The templates and lists that the person can choose. */
export interface Sendable {
  templates: Awaited<ReturnType<typeof listSendableTemplates>>;
  lists: readonly Awaited<ReturnType<typeof getContactList>>[];
}

type Detailed = Awaited<ReturnType<typeof getRecurringSend>>;

export function nameOfTemplate({ templates }: Sendable, id: string): Text {
  const template = templates.find((each) => each.id === id);
  return template ? asIs(template.name) : t('A template that was deleted or that you cannot see');
}

function nameOfList({ lists }: Sendable, id: string): Text {
  const found = lists.find((each) => each.id === id);
  return found ? asIs(found.original_file_name) : t('A list that was deleted');
}

const states = {
  active: <Status kind="accepted">{t('Active', { context: 'recurring send' })}</Status>,
  paused: <Status kind="failed">{t('Paused', { context: 'recurring send' })}</Status>,
  ended: <Status kind="cancelled">{t('Ended', { context: 'recurring send' })}</Status>,
};

interface RecurringTableProps {
  path: string;
  sends: readonly RecurringSend[];
  sendable: Sendable;
  now: Date;
}

export function RecurringTable({ path, sends, sendable, now }: RecurringTableProps) {
  const { country } = useViewer();
  if (sends.length === 0) {
    return (
      <Empty title={t('No recurring sends yet')}>
        {t('Send a template to a contact list every day, week or month, to the people on the list at that time.')}
      </Empty>
    );
  }
  return (
    <Table
      caption={t('Recurring sends')}
      rows={sends}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('Template'),
          cell: ({ id, template_id }) => (
            <a href={pageUrl(`${path}/${id}`)} dir="auto">
              {nameOfTemplate(sendable, template_id)}
            </a>
          ),
        },
        {
          head: t('Contact list'),
          cell: ({ contact_list_id }) => <span dir="auto">{nameOfList(sendable, contact_list_id)}</span>,
        },
        { head: t('When'), cell: (send) => describeTimes(country, send) },
        { head: t('Next date'), cell: ({ next_at }) => next_at !== null && <Time at={next_at} now={now} /> },
        { head: t('State'), cell: ({ state }) => states[state] },
      ]}
    />
  );
}

interface FillInProps {
  formState: FormState;
  sendable: Sendable;
  today: string;
  back: string;
}

export function FillIn({ formState, sendable: { templates, lists }, today, back }: FillInProps) {
  const { zoneName } = useViewer();
  return (
    <form class="stack measure" method="post" noValidate>
      <Select
        formState={formState}
        name="template_id"
        label={t('Template')}
        choices={[
          { value: '', label: t('Choose a template') },
          ...templates.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <Select
        formState={formState}
        name="contact_list_id"
        label={t('Contact list')}
        choices={[
          { value: '', label: t('Choose a contact list') },
          ...lists.map(({ id, original_file_name }) => ({ value: id, label: original_file_name })),
        ]}
      />
      <Choices
        formState={formState}
        kind="one"
        name="frequency"
        legend={t('How often')}
        choices={[
          { value: 'daily', label: t('Every day') },
          { value: 'weekly', label: t('Every week, on the days below') },
          { value: 'weekday-of-month', label: t('Every month, on weekdays such as the first Tuesday') },
          { value: 'monthly', label: t('Every month, on the day of the month below') },
          { value: 'last-day', label: t('Every month, on its last day') },
          {
            value: 'last-working-day',
            label: t('Every month, on its last working day'),
            hint: t('Not at the weekend, nor on a public holiday.'),
          },
        ]}
      />
      <Choices formState={formState} kind="several" name="days" legend={t('Days of the week')} choices={weekdays} />
      <Select
        formState={formState}
        name="week"
        label={t('Which weekday of the month')}
        hint={t('If you send on weekdays of a month.')}
        choices={weeks}
      />
      <NumberField
        formState={formState}
        name="month_day"
        label={t('Day of the month')}
        hint={t('From 1 to 31. Months that are too short are left out.')}
      />
      <Field
        formState={formState}
        name="at_time"
        label={t('Time')}
        hint={t('Such as 10:00. {zoneName}.', { zoneName })}
        autocomplete="off"
        short
      />
      <DayField formState={formState} name="starts_on" label={t('First day')} value={today} />
      <DayField formState={formState} name="ends_on" label={t('Last day (optional)')} />
      <Submit back={back}>{t('Show the next dates')}</Submit>
    </form>
  );
}

interface CheckProps {
  form: RecurringFields;
  times: { rule: string; starts_on: string; at_time: string; time_zone: string };
  dates: readonly string[];
  sendable: Sendable;
  now: Date;
}

/** Shows what will be saved, with the next dates. */
export function Check({ form: { days, do: _, ...form }, times, dates, sendable, now }: CheckProps) {
  const { country } = useViewer();
  return (
    <form class="stack measure" method="post">
      <Summary
        rows={[
          { label: t('Template'), value: nameOfTemplate(sendable, form.template_id) },
          { label: t('Contact list'), value: nameOfList(sendable, form.contact_list_id) },
          { label: t('When'), value: describeTimes(country, times) },
        ]}
      />
      <Dates dates={dates} now={now} />
      {Object.entries(form).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {days.map((day) => (
        <input key={day} type="hidden" name="days[]" value={day} />
      ))}
      <div class="row">
        <button class="button button--primary" type="submit" name="do" value="save">
          {t('Save')}
        </button>
        <button class="button" type="submit" name="do" value="change">
          {t('Change')}
        </button>
      </div>
    </form>
  );
}

function Dates({ dates, now }: { dates: readonly string[]; now: Date }) {
  return (
    <div class="stack stack--tight">
      <h2>{t('Next dates')}</h2>
      <ul>
        {dates.map((date) => (
          <li key={date}>
            <Time at={date} now={now} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface RecurringDetailsProps {
  send: Detailed;
  path: string;
  sendable: Sendable;
  now: Date;
}

export function RecurringDetails({ send, path, sendable, now }: RecurringDetailsProps) {
  const { country } = useViewer();
  const { state, ends_reason, next_dates, runs, service_id } = send;
  const maySend = sendable.templates.some(({ id }) => id === send.template_id);
  return (
    <div class="stack">
      {ends_reason !== null && (
        <Notice tone="amber">
          {describeReason(ends_reason, runs.find(({ reason }) => reason === ends_reason)?.reason_texts)}{' '}
          {state === 'paused' &&
            ownerReasons.includes(ends_reason) &&
            t('Resume it to become its owner, or it ends after 14 days.')}
        </Notice>
      )}
      <Summary
        rows={[
          { label: t('Contact list'), value: nameOfList(sendable, send.contact_list_id) },
          { label: t('When'), value: describeTimes(country, send) },
          { label: t('State'), value: states[state] },
        ]}
      />
      {next_dates.length > 0 && <Dates dates={next_dates} now={now} />}
      {runs.length > 0 && (
        <Table
          caption={t('Earlier dates')}
          rows={runs}
          keyOf={({ due_at }) => due_at}
          columns={[
            { head: t('Date'), cell: ({ due_at }) => <Time at={due_at} now={now} /> },
            { head: t('What happened'), cell: (run) => <Outcome run={run} serviceId={service_id} /> },
          ]}
        />
      )}
      <div class="row">
        {state === 'active' && <Do task="pause" path={path} label={t('Pause')} />}
        {state === 'paused' && maySend && <Do task="resume" path={path} label={t('Resume')} />}
        <Confirm
          label={t('Delete')}
          action={t('Delete this recurring send')}
          to={pageUrl(path)}
          fields={{ task: 'delete' }}
        >
          {t('Nothing more is sent. Messages that were sent stay.')}
        </Confirm>
      </div>
    </div>
  );
}

function Do({ task, path, label }: { task: 'pause' | 'resume'; path: string; label: Text }) {
  return (
    <form method="post" action={pageUrl(path)}>
      <button class="button button--small" type="submit" name="task" value={task}>
        {label}
      </button>
    </form>
  );
}

function Outcome({
  run: { outcome, reason, reason_texts, job_id, job_status },
  serviceId,
}: {
  run: Detailed['runs'][number];
  serviceId: string;
}) {
  const waits = reason === null ? t('Being prepared') : describeReason(reason, reason_texts);
  const told = outcome === 'sent' ? t('Sent') : waits;
  return job_status === null ? told : <a href={pageUrl(`/services/${serviceId}/files/${job_id}`)}>{told}</a>;
}

export function NothingToSend({ serviceId, hasTemplates }: { serviceId: string; hasTemplates: boolean }) {
  return (
    <Empty
      title={t('Nothing to send yet')}
      action={<ButtonLink to={`/services/${serviceId}/contact-lists`}>{t('Contact lists')}</ButtonLink>}
    >
      {hasTemplates ? t('Save a contact list first.') : t('You need a template and a contact list first.')}
    </Empty>
  );
}
