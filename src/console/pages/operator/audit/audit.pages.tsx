import { type Static, Type } from 'typebox';
import { auditActions } from '../../../../auth/audit-entry.ts';
import { addDays, type Calendar, isDay } from '../../../../countries/calendar.ts';
import { type Text, t } from '../../../../language/text.ts';
import { type AuditFilter, auditNouns } from '../../../../operations/audit/audit-entry.ts';
import { findAuditEntry, listAuditEntries, readAuditEntries } from '../../../../operations/audit/audit-log.ts';
import { timestamp } from '../../../../platform/clock.ts';
import { fromStandby } from '../../../../platform/db/servers/standby.ts';
import { invalid, invalidField, notFound } from '../../../../platform/failure.ts';
import { csvLine, sendCsv } from '../../../../platform/http/csv.ts';
import { canonicalId, isUuid } from '../../../../platform/id.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import { findServicesByName } from '../../../../services/services.ts';
import { findUserByEmail } from '../../../../users/users.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import type { FormState, PageRequest, Pages } from '../../../page.ts';
import { Field, Select } from '../../../parts/field.tsx';
import { ButtonLink } from '../../../parts/form.tsx';
import { Empty } from '../../../parts/notice.tsx';
import { OlderPager, pageSize } from '../../../parts/pager.tsx';
import { actionLabels, describeChange, nounLabel } from './audit-labels.ts';
import { AuditEntryView, AuditList } from './audit-views.tsx';

const path = '/operator/audit';

const columns = [
  ...['created_at', 'actor_type', 'user_id', 'user_name', 'client', 'claimed_user_id', 'claimed_user_name'],
  ...['address', 'user_agent', 'request_id', 'request', 'action', 'noun', 'thing_id', 'service_id', 'service_name'],
  ...['organisation_id', 'before', 'after'],
] as const;

/** Who changed what. The database itself writes the log, and nobody can change it. */
export function auditPages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who: 'operator',
    menu: 'Audit',
    async show(request, formState) {
      const query = queryOf(request);
      const isFiltered = Object.keys(query).length > 0;
      const olderThan = isUuid(request.query('older_than')) ? request.query('older_than') : undefined;
      const entries = await listAuditEntries(app, filterOf(request.viewer.calendar, query), {
        limit: pageSize,
        olderThan,
      });
      const here = (more: Record<string, string>, to = '') =>
        pageUrl(`${path}${to}?${new URLSearchParams({ ...query, ...more })}`);
      return {
        title: t('Audit'),
        lead: t(
          'Every change by a person or an admin client, kept for {day} days. Nobody can change or delete an entry.',
          { day: days(app) },
        ),
        actions: (
          <>
            {request.visitor.user.platform_admin && (
              <ButtonLink to="/operator/recipients" small>
                {t('Data about one person')}
              </ButtonLink>
            )}
            <a class="button button--small" href={here({}, '/csv')} download>
              {t('Download CSV')}
            </a>
          </>
        ),
        content: (
          <div class="stack">
            <Filter formState={formState} query={query} />
            {entries.length === 0 ? (
              <Empty title={isFiltered ? t('No changes found') : t('No changes yet')}>
                {isFiltered ? t('Use fewer search words, or choose other days.') : t('Changes will appear here.')}
              </Empty>
            ) : (
              <AuditList entries={entries} now={app.clock.now()} />
            )}
            <OlderPager
              rows={entries}
              shown={t('{count, plural, other {# changes}}', { count: entries.length })}
              olderThan={olderThan}
              to={(older_than) => here(older_than ? { older_than } : {})}
            />
          </div>
        ),
      };
    },
    form: AuditForm,
    onlyReads: true,
    async act(_asked, form) {
      const query = new URLSearchParams(await readAuditForm(app, form));
      return { to: query.size > 0 ? `${path}?${query}` : path };
    },
  });

  pages.add(`${path}/csv`, {
    who: 'operator',
    async show(request) {
      const name = `audit log ${app.country.calendar.day(app.clock.now())}.csv`;
      const parts = await fromStandby(app, 'file', async (reader) =>
        csvOf(reader, filterOf(request.viewer.calendar, queryOf(request))),
      );
      return { sent: sendCsv(request.reply, name, parts) };
    },
  });

  pages.add(`${path}/:entry_id`, {
    who: 'operator',
    below: 'Audit',
    async show({ param }) {
      const entry = await findAuditEntry(app, param('entry_id'));
      if (!entry) throw notFound();
      return {
        title: describeChange(entry),
        crumbs: [{ label: t('Audit'), to: path }],
        content: <AuditEntryView entry={entry} now={app.clock.now()} />,
      };
    },
  });

  async function* csvOf(reader: ConsoleApp, filter: ReturnType<typeof filterOf>): AsyncGenerator<string> {
    yield csvLine(columns);
    for await (const entries of readAuditEntries(reader, filter)) {
      yield entries
        .map((entry) => {
          const values = new Map<string, unknown>(Object.entries(entry));
          return csvLine(columns.map((name) => cellOf(values.get(name))));
        })
        .join('');
    }
  }
}

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function days({ config }: ConsoleApp): number {
  return config.storage.auditRetention_ms / (24 * 60 * 60 * 1_000);
}

function Filter({ formState, query }: { formState: FormState; query: ReturnType<typeof queryOf> }) {
  const any = (label: Text) => ({ value: '', label });
  return (
    <search aria-label={t('Changes')}>
      <form class="stack stack--tight" method="post" action={pageUrl(path)} noValidate>
        <div class="cols cols--narrow cols--filter">
          <Field
            formState={formState}
            name="person"
            label={t('Person')}
            hint={t('Email address or id')}
            value={query.person}
          />
          <Field
            formState={formState}
            name="service"
            label={t('Service')}
            hint={t('Name or id')}
            value={query.service}
          />
          <Field formState={formState} name="thing" label={t('Item')} hint={t('Id')} value={query.thing} />
          <Select
            formState={formState}
            name="noun"
            label={t('Kind')}
            value={query.noun ?? ''}
            choices={[any(t('Anything')), ...auditNouns.map((noun) => ({ value: noun, label: nounLabel(noun) }))]}
          />
          <Select
            formState={formState}
            name="action"
            label={t('Action')}
            value={query.action ?? ''}
            choices={[any(t('Any')), ...auditActions.map((one) => ({ value: one, label: actionLabels[one] }))]}
          />
          <Field
            formState={formState}
            name="from"
            label={t('From', { context: 'a date' })}
            hint={t('For example 2026-11-15')}
            value={query.from}
          />
          <Field
            formState={formState}
            name="to"
            label={t('To', { context: 'a date' })}
            hint={t('This day is included.')}
            value={query.to}
          />
          <div class="row">
            <button class="button button--primary" type="submit">
              {t('Find')}
            </button>
            {Object.keys(query).length > 0 && <ButtonLink to={path}>{t('Show all')}</ButtonLink>}
          </div>
        </div>
      </form>
    </search>
  );
}

const AuditForm = Type.Object({
  person: Type.Optional(Type.String({ maxLength: 255 })),
  service: Type.Optional(Type.String({ maxLength: 255 })),
  thing: Type.Optional(Type.String({ maxLength: 255 })),
  noun: Type.Optional(OneOf(auditNouns)),
  action: Type.Optional(OneOf(auditActions)),
  from: Type.Optional(Type.String({ maxLength: 10 })),
  to: Type.Optional(Type.String({ maxLength: 10 })),
});

const names = ['person', 'service', 'thing', 'noun', 'action', 'from', 'to'] as const;
type Query = Partial<Record<(typeof names)[number], string>>;

/** Reads the filters from the URL, which contains only ids, never the address of a person. */
function queryOf({ query }: Pick<PageRequest, 'query'>): Query {
  return Object.fromEntries(names.flatMap((name) => (query(name) === '' ? [] : [[name, query(name)]])));
}

/** Finds the person and the service that were typed into the form. */
async function readAuditForm(app: ConsoleApp, form: Static<typeof AuditForm>): Promise<Query> {
  const { person, service, from, to, ...others } = form;
  const wrong = { ...wrongDay('from', from), ...wrongDay('to', to) };
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
  return {
    ...others,
    ...(person ? { person: await idOfPerson(app, person) } : {}),
    ...(service ? { service: await idOfService(app, service) } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  };
}

/** Ignores invalid filters of a URL that was edited by hand. */
function filterOf(calendar: Calendar, { person, service, thing, noun, action, from, to }: Query): AuditFilter {
  return {
    person_id: person && isUuid(person) ? person : undefined,
    service_id: service && isUuid(service) ? service : undefined,
    thing_id: thing,
    noun,
    action: auditActions.find((one) => one === action),
    after: from && isDay(from) ? timestamp(calendar.start(from)) : undefined,
    before: to && isDay(to) ? timestamp(calendar.start(addDays(to, 1))) : undefined,
  };
}

function wrongDay(name: string, day: string | undefined): Record<string, string[]> {
  return day === undefined || isDay(day) ? {} : { [name]: [t('Enter a day, for example 2026-11-15.')] };
}

async function idOfPerson(app: ConsoleApp, text: string): Promise<string> {
  if (isUuid(text)) return canonicalId(text);
  const user = await findUserByEmail(app, text);
  if (!user) throw invalidField('person', t('Nobody has this address. Enter the whole email address.'));
  return user.id;
}

async function idOfService(app: ConsoleApp, text: string): Promise<string> {
  const isId: boolean = isUuid(text);
  if (isId) return canonicalId(text);
  const found = await findServicesByName(app.db, text);
  const exact = found.filter(({ name }) => name.toLowerCase() === text.toLowerCase());
  const [one, ...others] = exact.length > 0 ? exact : found;
  if (!one) throw invalidField('service', t('No service has this name. Enter another name, or an id.'));
  if (others.length > 0) {
    throw invalidField(
      'service',
      t('{count, number} services have this in their name. Enter the whole name.', { count: found.length }),
    );
  }
  return one.id;
}
