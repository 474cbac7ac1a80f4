import { T } from '../../../../language/sentence.tsx';
import { isText, joined, type Text, t } from '../../../../language/text.ts';
import type { AuditEntry } from '../../../../operations/audit/audit-log.ts';
import { pageUrl } from '../../../links.ts';
import { Summary, Table } from '../../../parts/table.tsx';
import { ClockTime, Time } from '../../../parts/time.tsx';
import { actorLabel, describeAction, fieldLabel, isUnnamed, nounLabel, valueText } from './audit-labels.ts';

const maxNamed = 6;

export function AuditList({ entries, now }: { entries: readonly AuditEntry[]; now: Date }) {
  return (
    <ul class="card list">
      {entries.map((entry) => (
        <li key={entry.id}>
          <div class="stack stack--tight grow">
            <div class="row">
              <a href={pageUrl(`/operator/audit/${entry.id}`)}>
                <b dir="auto">{actorLabel(entry)}</b> {describeAction(entry)}
              </a>
              <span class="row--end muted">
                <Time at={entry.created_at} now={now} />
              </span>
            </div>
            <p class="small muted" dir="auto">
              {aboutEntry(entry)}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function aboutEntry(entry: AuditEntry): Text {
  const { action, noun, service_name, claimed_user_name, address } = entry;
  const name = noun === 'service' ? undefined : nameOfThing(entry);
  const facts = [
    name && t('“{name}”', { name }),
    service_name && t('service “{name}”', { name: service_name }),
    action === 'update' && namedFields(changedFields(entry)),
    claimed_user_name && t('for {name}, according to the client', { name: claimed_user_name }),
    address && t('from {address}', { address }),
  ];
  return joined(
    facts.filter((fact) => fact !== false && isText(fact)),
    ' · ',
  );
}

function namedFields(fields: readonly string[]): Text {
  const names = joined(fields.slice(0, maxNamed).map(fieldLabel), ', ');
  const count = fields.length - maxNamed;
  return count > 0 ? t('{names} and {count, number} more', { names, count }) : names;
}

/** One change: who, when, from where, and each field before and after. */
export function AuditEntryView({ entry, now }: { entry: AuditEntry; now: Date }) {
  const fields = changedFields(entry);
  return (
    <div class="stack">
      <section class="card" aria-label={t('Who and where')}>
        <Summary
          rows={[
            { label: t('Who'), value: <Who entry={entry} /> },
            {
              label: t('When'),
              value: (
                <>
                  <Time at={entry.created_at} now={now} /> (<ClockTime at={entry.created_at} />)
                </>
              ),
            },
            { label: t('From'), value: entry.address ?? '–' },
            { label: t('Program'), value: entry.user_agent ?? '–' },
            { label: t('Request'), value: <code>{entry.request}</code> },
            { label: t('Request id'), value: <code>{entry.request_id}</code> },
            { label: t('Item'), value: <Thing entry={entry} /> },
            ...(entry.service_id ? [{ label: t('Service'), value: <ServiceLink entry={entry} /> }] : []),
          ]}
        />
      </section>
      {fields.length > 0 && (
        <Table
          caption={t('What changed')}
          rows={fields}
          keyOf={(name) => name}
          columns={[
            {
              head: t('Field'),
              cell: (name) => (isUnnamed(name) ? <bdi>{fieldLabel(name)}</bdi> : fieldLabel(name)),
            },
            { head: t('Before'), cell: (name) => <Value of={entry.before} name={name} /> },
            { head: t('After'), cell: (name) => <Value of={entry.after} name={name} /> },
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
      <span dir="auto">{actorLabel(entry)}</span>{' '}
      {user_email_address && <span class="muted">{user_email_address}</span>}
      {claimed_user_id !== null && (
        <>
          {' '}
          <T>
            for {{ name: claimed_user_name ?? claimed_user_id }} <span class="badge tone-amber">not verified</span>
          </T>
        </>
      )}
    </>
  );
}

function Thing({ entry: { noun, thing_id } }: { entry: AuditEntry }) {
  if (thing_id === null) return <>{nounLabel(noun)}</>;
  return (
    <>
      {nounLabel(noun)}{' '}
      <a href={pageUrl(`/operator/audit?${new URLSearchParams({ thing: thing_id })}`)}>
        <code>{thing_id}</code>
      </a>
    </>
  );
}

function ServiceLink({ entry: { service_id, service_name } }: { entry: AuditEntry }) {
  return <a href={pageUrl(`/operator/audit?service=${service_id}`)}>{service_name ?? service_id}</a>;
}

function Value({ of, name }: { of: Record<string, unknown> | null; name: string }) {
  return <span dir="auto">{of === null ? '–' : valueText(new Map(Object.entries(of)).get(name))}</span>;
}

/** The name of the object, if it has one. */
function nameOfThing({ before, after }: AuditEntry): string | undefined {
  const fields = { ...before, ...after };
  const name = fields.name ?? fields.email_address ?? fields.display_name;
  return typeof name === 'string' ? name : undefined;
}

/** The fields that changed, by name. */
function changedFields({ before, after }: AuditEntry): string[] {
  return Object.keys({ ...before, ...after }).sort();
}
