import { auditActions } from '../../../../auth/audit-entry.ts';
import { auditNouns } from '../../../../operations/audit/audit-entry.ts';
import { findAuditEntry, listAuditEntries, readAuditEntries } from '../../../../operations/audit/audit-log.ts';
import { londonDay } from '../../../../platform/calendar.ts';
import { fromStandby } from '../../../../platform/db/servers/standby.ts';
import { notFound } from '../../../../platform/failure.ts';
import { csvLine, sendCsv } from '../../../../platform/http/csv.ts';
import { isUuid } from '../../../../platform/id.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { FormState, Pages } from '../../../page.ts';
import { Field } from '../../../parts/field.tsx';
import { Pager } from '../../../parts/pager.tsx';
import { Select } from '../../../parts/select.tsx';
import { AuditEntryView } from './audit-entry.tsx';
import { AuditForm, filterOf, queryOf, readAuditForm } from './audit-filter.ts';
import { AuditList } from './audit-list.tsx';
import { actionWords, nounWords } from './audit-words.ts';

const path = '/operator/audit';
const pageSize = 50;

const columns = [
  ...['created_at', 'actor_type', 'user_id', 'user_name', 'client', 'claimed_user_id', 'claimed_user_name'],
  ...['address', 'user_agent', 'request_id', 'request', 'action', 'noun', 'thing_id', 'service_id', 'service_name'],
  ...['organisation_id', 'before', 'after'],
] as const;

/** Who changed what. The log itself is written by the database, and nobody can change it. */
export function auditPages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who: 'operator',
    menu: 'Audit',
    async show(request, formState) {
      const query = queryOf(request);
      const isFiltered = Object.keys(query).length > 0;
      const olderThan = isUuid(request.query('older_than')) ? request.query('older_than') : undefined;
      const entries = await listAuditEntries(app, filterOf(query), { limit: pageSize, olderThan });
      const here = (more: Record<string, string>, to = '') =>
        `/console${path}${to}?${new URLSearchParams({ ...query, ...more })}`;
      const last = entries.length === pageSize ? entries.at(-1)?.id : undefined;
      return {
        title: 'Audit',
        lead: `Every change by a person or an admin client, kept for ${days(app)} days. Nobody can change or delete an entry.`,
        actions: (
          <>
            {request.visitor.user.platform_admin && (
              <a class="button button--small" href="/console/operator/recipients">
                Data about one person
              </a>
            )}
            <a class="button button--small" href={here({}, '/csv')} download>
              Download CSV
            </a>
          </>
        ),
        content: (
          <div class="stack">
            <Filter formState={formState} query={query} />
            {entries.length === 0 ? (
              <div class="empty">
                <h2>{isFiltered ? 'No change matches' : 'No changes yet'}</h2>
                <p>{isFiltered ? 'Look for less, or for other days.' : 'The first change appears here.'}</p>
              </div>
            ) : (
              <AuditList entries={entries} now={app.clock.now()} />
            )}
            {(last !== undefined || olderThan !== undefined) && (
              <Pager
                shown={`${entries.length} changes`}
                newer={olderThan === undefined ? undefined : here({})}
                older={last === undefined ? undefined : here({ older_than: last })}
              />
            )}
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
      const name = `audit log ${londonDay(app.clock.now())}.csv`;
      const parts = await fromStandby(app, 'file', async (reader) => csvOf(reader, filterOf(queryOf(request))));
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
        title: `A ${nounWords(entry.noun)} was ${entry.action === 'find' ? 'looked up' : actionWords[entry.action]}`,
        crumbs: [{ label: 'Audit', to: path }],
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
  const any = (label: string) => ({ value: '', label });
  return (
    <search aria-label="Changes">
      <form class="stack stack--tight" method="post" action={`/console${path}`} noValidate>
        <div class="cols cols--narrow cols--filter">
          <Field formState={formState} name="person" label="Person" hint="Email address or id" value={query.person} />
          <Field formState={formState} name="service" label="Service" hint="Name or id" value={query.service} />
          <Field formState={formState} name="thing" label="Thing" hint="Id" value={query.thing} />
          <Select
            formState={formState}
            name="noun"
            label="Kind"
            value={query.noun ?? ''}
            choices={[any('Anything'), ...auditNouns.map((noun) => ({ value: noun, label: nounWords(noun) }))]}
          />
          <Select
            formState={formState}
            name="action"
            label="Action"
            value={query.action ?? ''}
            choices={[any('Any'), ...auditActions.map((one) => ({ value: one, label: actionWords[one] }))]}
          />
          <Field formState={formState} name="from" label="From" hint="Such as 2026-11-15" value={query.from} />
          <Field formState={formState} name="to" label="To" hint="The day counts" value={query.to} />
          <div class="row">
            <button class="button button--primary" type="submit">
              Find
            </button>
            {Object.keys(query).length > 0 && (
              <a class="button" href={`/console${path}`}>
                Show all
              </a>
            )}
          </div>
        </div>
      </form>
    </search>
  );
}
