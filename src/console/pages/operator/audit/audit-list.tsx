import type { AuditEntry } from '../../../../operations/audit/audit-log.ts';
import { Time } from '../../../parts/time.tsx';
import { actionWords, actorWords, changedFields, nameOfThing, nounWords, withArticle } from './audit-words.ts';

const maxNamed = 6;

export function AuditList({ entries, now }: { entries: readonly AuditEntry[]; now: Date }) {
  return (
    <ul class="card list">
      {entries.map((entry) => (
        <li key={entry.id}>
          <div class="stack stack--tight grow">
            <div class="row">
              <a href={`/console/operator/audit/${entry.id}`}>
                <b>{actorWords(entry)}</b> {actionWords[entry.action]} {withArticle(entry.noun)}
              </a>
              <span class="row--end muted">
                <Time at={entry.created_at} now={now} />
              </span>
            </div>
            <p class="small muted">{aboutEntry(entry)}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function aboutEntry(entry: AuditEntry): string {
  const { action, noun, service_name, claimed_user_name } = entry;
  const fields = changedFields(entry);
  const named = fields.slice(0, maxNamed).map(nounWords).join(', ');
  const name = noun === 'service' ? undefined : nameOfThing(entry);
  return [
    name && `“${name}”`,
    service_name && `service “${service_name}”`,
    action === 'update' && `${named}${fields.length > maxNamed ? ` and ${fields.length - maxNamed} more` : ''}`,
    claimed_user_name && `for ${claimed_user_name}, as the client says`,
    entry.address && `from ${entry.address}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
