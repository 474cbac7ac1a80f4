import { type Static, Type } from 'typebox';
import { weekdays } from '../../../countries/timing/send-windows.ts';
import { T } from '../../../language/sentence.tsx';
import { formatted, list, type Text, t } from '../../../language/text.ts';
import {
  changeWindow,
  createWindow,
  getSendingTimes,
  removeWindow,
  setSendingTimes,
} from '../../../notifications/windows/send-windows.ts';
import { notFound } from '../../../platform/failure.ts';
import { OneOf, Uuid } from '../../../protocol/fields.ts';
import type { Service } from '../../../services/services.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { Choices, Field, Select, TextArea } from '../../parts/field.tsx';
import { ButtonLink, Confirm, SaveForm } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { settingsOf, team } from './service-setting.ts';

type SendingTimes = Awaited<ReturnType<typeof getSendingTimes>>;
type Window = SendingTimes['windows'][number];

const title = t('Sending times');
const path = '/services/:service_id/settings/sending-times';
const noFields = Type.Object({});
const listOf = (service: { id: string }) => `${settingsOf(service)}/sending-times`;

const WindowForm = Type.Object({
  name: Type.String({ maxLength: 100, format: 'name' }),
  days: Type.Array(OneOf(weekdays)),
  from_time: Type.String({ maxLength: 5 }),
  until_time: Type.String({ maxLength: 5 }),
  closed_days: Type.Optional(Type.String({ maxLength: 10_000 })),
});
const windowNeeds = {
  name: t('Enter a name.'),
  days: t('Choose at least one day.'),
  from_time: t('Enter a time such as 08:00.'),
  until_time: t('Enter a time such as 21:00.'),
};

const readWindow = ({ closed_days = '', ...fields }: Static<typeof WindowForm>) => ({
  ...fields,
  closed_days: closed_days.split(/\s+/).filter(Boolean),
});

/** The sending times of a service, and which of them texts and emails have. */
export function sendingTimePages(pages: Pages, app: ConsoleApp): void {
  const crumbs = (service: Service) => [
    { label: t('Settings'), to: settingsOf(service) },
    { label: title, to: listOf(service) },
  ];

  pages.add(path, {
    who: team,
    below: 'Settings',
    name: title,
    async show({ service }, formState) {
      const times = await getSendingTimes(app, service.id);
      return {
        title,
        lead: t(
          'Choose between which hours texts and emails go out, in the time zone of the recipient. Outside these hours messages wait. Letters, test keys and priority templates never wait.',
        ),
        crumbs: [{ label: t('Settings'), to: settingsOf(service) }],
        actions: (
          <ButtonLink to={`${listOf(service)}/add`} look="primary">
            {t('Add a sending time')}
          </ButtonLink>
        ),
        content: (
          <div class="stack">
            {times.windows.length === 0 ? (
              <Empty title={t('No sending times yet')}>{t('Messages go out at any time.')}</Empty>
            ) : (
              <WindowTable windows={times.windows} to={listOf(service)} />
            )}
            {times.windows.length > 0 && (
              <Chosen
                formState={formState}
                times={times}
                spread_ms={app.config.windows.spread_ms}
                zone={app.country.calendar.zone}
                back={settingsOf(service)}
              />
            )}
          </div>
        ),
      };
    },
    form: Type.Object({
      sms_window_id: Type.Union([Uuid, Type.Literal('')]),
      email_window_id: Type.Union([Uuid, Type.Literal('')]),
      time_zone: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    async act({ service }, { sms_window_id, email_window_id, time_zone = '' }) {
      await setSendingTimes(app, service.id, {
        sms_window_id: sms_window_id || null,
        email_window_id: email_window_id || null,
        time_zone: time_zone.trim() || null,
      });
      return { to: listOf(service), notice: t('Sending times saved.') };
    },
  });

  pages.add(`${path}/add`, {
    who: team,
    below: 'Settings',
    show: ({ service }, formState) => ({
      title: t('Add a sending time'),
      crumbs: crumbs(service),
      content: (
        <SaveForm action={t('Add')} back={listOf(service)}>
          <WindowFields formState={formState} />
        </SaveForm>
      ),
    }),
    form: WindowForm,
    needs: windowNeeds,
    async act({ service, visitor }, form) {
      await createWindow(app, service.id, readWindow(form), visitor.user.id);
      return { to: listOf(service), notice: t('Sending time added. Choose below what it is for.') };
    },
  });

  async function findWindow({ service, param }: PageRequest<typeof team>): Promise<Window> {
    const { windows } = await getSendingTimes(app, service.id);
    const window = windows.find(({ id }) => id === param('send_window_id'));
    if (!window) throw notFound();
    return window;
  }

  async function windowView(request: PageRequest<typeof team>, formState: FormState): Promise<View> {
    const window = await findWindow(request);
    const page = `${listOf(request.service)}/${window.id}`;
    return {
      title: t('Change the sending time'),
      crumbs: crumbs(request.service),
      content: (
        <div class="stack">
          <SaveForm back={listOf(request.service)} to={pageUrl(page)}>
            <WindowFields formState={formState} window={window} />
          </SaveForm>
          <Confirm label={t('Delete')} action={t('Delete the sending time')} to={pageUrl(`${page}/delete`)}>
            {t('You can delete a sending time that neither the service nor a template uses.')}
          </Confirm>
        </div>
      ),
    };
  }

  pages.add(`${path}/:send_window_id`, {
    who: team,
    below: 'Settings',
    show: windowView,
    form: WindowForm,
    needs: windowNeeds,
    async act(request, form) {
      const { id } = await findWindow(request);
      await changeWindow(app, request.service.id, id, readWindow(form));
      return { to: listOf(request.service), notice: t('Sending time saved. Messages that wait get their new time.') };
    },
  });

  pages.add(`${path}/:send_window_id/delete`, {
    who: team,
    below: 'Settings',
    // The form is on the page of the sending time; a refusal is shown there.
    async show(request, { problems }) {
      if (problems.size > 0) return windowView(request, { typed: new Map(), problems });
      return { to: `${listOf(request.service)}/${(await findWindow(request)).id}` };
    },
    form: noFields,
    async act(request) {
      const { id } = await findWindow(request);
      await removeWindow(app, request.service.id, id);
      return { to: listOf(request.service), notice: t('Sending time deleted.') };
    },
  });
}

// 1 January 2024 was a Monday.
const dayNames = weekdays.map((value, index) => ({
  value,
  label: formatted(({ dates }) => dates.write(`2024-01-0${index + 1}`, { weekday: 'long' })),
}));

function WindowFields({ formState, window }: { formState: FormState; window?: Window }) {
  return (
    <>
      <Field
        formState={formState}
        name="name"
        label={t('Name')}
        hint={t('For example, Daytime')}
        value={window?.name}
        autocomplete="off"
      />
      <Choices
        formState={formState}
        name="days"
        legend={t('Days')}
        kind="several"
        choices={dayNames}
        chosen={window?.days ?? [...weekdays]}
      />
      <Field
        formState={formState}
        name="from_time"
        label={t('From', { context: 'a time' })}
        hint={t('For example, 08:00')}
        value={window?.from_time}
        short
      />
      <Field
        formState={formState}
        name="until_time"
        label={t('Until')}
        hint={t('For example, 21:00. 24:00 is midnight. If it is earlier than the first time, it is on the next day.')}
        value={window?.until_time}
        short
      />
      <TextArea
        formState={formState}
        name="closed_days"
        label={t('Days without messages (optional)')}
        hint={t('One date on each line, such as 2026-12-25')}
        rows={4}
        value={window?.closed_days.join('\n') ?? ''}
      />
    </>
  );
}

interface ChosenProps {
  formState: FormState;
  times: SendingTimes;
  spread_ms: number;
  /** The time zone of this Pennypost. */
  zone: string;
  /** Where "Cancel" leads, below /console. */
  back: string;
}

/** The form that chooses the sending times of texts and emails. */
function Chosen({ formState, times, spread_ms, zone, back }: ChosenProps) {
  const choices = [
    { value: '', label: t('At any time') },
    ...times.windows.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const select = (name: 'sms_window_id' | 'email_window_id', label: Text) => (
    <Select formState={formState} name={name} label={label} choices={choices} value={times[name] ?? ''} />
  );
  return (
    <SaveForm back={back}>
      {select('sms_window_id', t('Texts go out'))}
      {select('email_window_id', t('Emails go out'))}
      <Field
        formState={formState}
        name="time_zone"
        label={t('Time zone of other recipients (optional)')}
        hint={t(
          'For recipients whose time zone and country are not known, such as those of emails. For example, {zone}. Leave it empty for the time zone of this Pennypost.',
          { zone },
        )}
        value={times.time_zone ?? undefined}
        autocomplete="off"
      />
      <p class="hint">
        {t(
          '{minutes, plural, =0 {Messages that waited go out at once when their sending time begins.} one {Messages that waited go out over the first minute of their sending time.} other {Messages that waited go out over the first # minutes of their sending time.}}',
          { minutes: Math.ceil(spread_ms / 60_000) },
        )}
      </p>
    </SaveForm>
  );
}

function WindowTable({ windows, to }: { windows: readonly Window[]; to: string }) {
  return (
    <Table
      caption={title}
      rows={windows}
      keyOf={({ id }) => id}
      columns={[
        { head: t('Name'), cell: ({ name }) => <bdi>{name}</bdi> },
        { head: t('When'), cell: describeWindow },
        { head: t('Days without messages'), cell: ({ closed_days }) => closed_days.length, numeric: true },
        {
          head: t('Actions'),
          hidden: true,
          cell: ({ id, name }) => (
            <a href={pageUrl(`${to}/${id}`)}>
              <T>
                Change<span class="sr"> {{ name }}</span>
              </T>
            </a>
          ),
        },
      ]}
    />
  );
}

function describeWindow({ days, from_time: from, until_time: until }: Window): Text {
  if (days.length === weekdays.length) return t('{from} to {until}, every day', { from, until });
  const names = dayNames.filter(({ value }) => days.includes(value)).map(({ label }) => label);
  return t('{from} to {until}, {days}', { from, until, days: list(names) });
}

/** Returns "Texts: Daytime" for the list of settings. */
export function describeSendingTimes({ windows, sms_window_id, email_window_id }: SendingTimes): Text {
  const nameOf = (id: string | null) => windows.find((window) => window.id === id)?.name;
  const [texts, emails] = [nameOf(sms_window_id), nameOf(email_window_id)];
  const chosen = [
    ...(texts === undefined ? [] : [t('Texts: {name}', { name: texts })]),
    ...(emails === undefined ? [] : [t('Emails: {name}', { name: emails })]),
  ];
  return chosen.length === 0 ? t('At any time') : list(chosen);
}
