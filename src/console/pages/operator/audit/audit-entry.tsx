import type { AuditEntry } from '../../../../operations/audit/audit-log.ts';
import { Summary } from '../../../parts/summary.tsx';
import { Table } from '../../../parts/table.tsx';
import { ClockTime, Time } from '../../../parts/time.tsx';
import { actorWords, changedFields, nounWords, valueText } from './audit-words.ts';

/** One change: who, when, from where, and each field before and after. */
export function AuditEntryView({ entry, now }: { entry: AuditEntry; now: Date }) {
  const fields = changedFields(entry);
  return (
    <div class="stack">
      <section class="card" aria-label="Who and where">
        <Summary
          rows={[
            { label: 'Who', value: <Who entry={entry} /> },
            {
              label: 'When',
              value: (
                <>
                  <Time at={entry.created_at} now={now} /> (<ClockTime at={entry.created_at} />)
                </>
              ),
            },
            { label: 'From', value: entry.address ?? '–' },
            { label: 'Program', value: entry.user_agent ?? '–' },
            { label: 'Request', value: <code>{entry.request}</code> },
            { label: 'Request id', value: <code>{entry.request_id}</code> },
            { label: 'Thing', value: <Thing entry={entry} /> },
            ...(entry.service_id ? [{ label: 'Service', value: <ServiceLink entry={entry} /> }] : []),
          ]}
        />
      </section>
      {fields.length > 0 && (
        <Table
          caption="What changed"
          rows={fields}
          keyOf={(name) => name}
          columns={[
            { head: 'Field', cell: nounWords },
            { head: 'Before', cell: (name) => <Value of={entry.before} name={name} /> },
            { head: 'After', cell: (name) => <Value of={entry.after} name={name} /> },
          ]}
        />
      )}
    </div>
  );
}

function Who({ entry }: { entry: AuditEntry }) {
  const { user_email_address, claimed_user_id, claimed_user_name } = entry;
  return (
    <>
      {actorWords(entry)} {user_email_address && <span class="muted">{user_email_address}</span>}
      {claimed_user_id !== null && (
        <>
          {' '}
          for {claimed_user_name ?? claimed_user_id} <span class="badge tone-amber">not verified</span>
        </>
      )}
    </>
  );
}

function Thing({ entry: { noun, thing_id } }: { entry: AuditEntry }) {
  if (thing_id === null) return nounWords(noun);
  return (
    <>
      {nounWords(noun)}{' '}
      <a href={`/console/operator/audit?${new URLSearchParams({ thing: thing_id })}`}>
        <code>{thing_id}</code>
      </a>
    </>
  );
}

function ServiceLink({ entry: { service_id, service_name } }: { entry: AuditEntry }) {
  return <a href={`/console/operator/audit?service=${service_id}`}>{service_name ?? service_id}</a>;
}

function Value({ of, name }: { of: Record<string, unknown> | null; name: string }) {
  return <>{of === null ? '–' : valueText(new Map(Object.entries(of)).get(name))}</>;
}
