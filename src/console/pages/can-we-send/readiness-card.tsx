import { inEnglish, list, type Text, t } from '../../../language/text.ts';
import type { Readiness } from '../../../sending-domains/readiness/readiness.ts';
import type { RowName } from '../../../sending-domains/readiness/rows.ts';
import { Notice } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';

type Row = Readiness['rows'][number];

const labels: Record<RowName, Text> = {
  authentication: t('Signature and SPF'),
  alignment: t('Matches the From address'),
  dmarc: t('DMARC'),
  encryption: t('Encryption'),
  'server-name': t('Server name'),
  from: t('From'),
  unsubscribe: t('Unsubscribe link'),
  complaints: t('Complaints'),
  bounces: t('Bounces'),
  volume: t('Volume'),
  refusals: t('Refused emails'),
};

const words: Record<Row['verdict'], Parameters<typeof Status>[0]> = {
  pass: { kind: 'delivered', children: t('Passed') },
  warn: { kind: 'sending', children: t('Improve this') },
  fail: { kind: 'failed', children: t('Fix this') },
  unknown: { kind: 'cancelled', children: t('Not known') },
};

const tones = { pass: 'green', warn: 'amber', fail: 'red' } as const;

/**
 * If one of these is unknown, so is the answer. Others may be unknown for good reasons, such as too few emails, or the servers of a
 * provider.
 */
const decisive: readonly RowName[] = ['authentication', 'alignment', 'dmarc', 'encryption', 'from'];

function isKnown({ rows, verdict }: Readiness): boolean {
  return verdict !== 'pass' || !rows.some(({ row, verdict }) => verdict === 'unknown' && decisive.includes(row));
}

/** Shows the answer, then every rule, the worst first. */
export function ReadinessCard({ readiness }: { readiness: Readiness }) {
  const { domain, verdict, nothing_is_sent, rows } = readiness;
  return (
    <div class="stack">
      {nothing_is_sent ? (
        <Notice tone="blue">
          <h2>{t('Nothing is sent: the sandbox is on')}</h2>
          <p>{t('These results apply to {domain} once emails are sent.', { domain })}</p>
        </Notice>
      ) : (
        <Notice tone={isKnown(readiness) ? tones[verdict] : 'blue'}>
          <h2>{isKnown(readiness) ? answerOf(readiness) : t('We do not know yet')}</h2>
          <p>{t('Emails come from {domain}.', { domain })}</p>
        </Notice>
      )}
      <Table
        caption={t('Rules of mailbox providers, most serious problems first')}
        rows={together(rows)}
        keyOf={({ names }) => names.join(' ')}
        columns={[
          { head: t('Rule'), cell: ({ names }) => list(names.map((name) => labels[name])) },
          { head: t('Verdict'), cell: (row) => <Status {...words[row.verdict]} /> },
          {
            head: t('What we found'),
            cell: ({ evidence, advice }) => (
              <>
                {evidence}
                {advice !== null && (
                  <>
                    {' '}
                    <b>{advice}</b>
                  </>
                )}
              </>
            ),
          },
          { head: t('Required by'), cell: ({ sources }) => <Sources sources={sources} /> },
        ]}
      />
    </div>
  );
}

/** Merges unknown rows with the same reason. */
function together(rows: readonly Row[]): (Row & { names: RowName[] })[] {
  const shown = new Map<string, Row & { names: RowName[] }>();
  for (const row of rows) {
    const key = row.verdict === 'unknown' ? inEnglish(row.evidence) : row.row;
    const first = shown.get(key);
    if (!first) shown.set(key, { ...row, names: [row.row] });
    else {
      first.names.push(row.row);
      const known = new Set(first.sources.map(({ name }) => name));
      first.sources = [...first.sources, ...row.sources.filter(({ name }) => !known.has(name))];
    }
  }
  return [...shown.values()];
}

function answerOf({ rows, verdict }: Readiness): Text {
  const count = rows.filter((row) => row.verdict === verdict).length;
  if (verdict === 'fail') return t('{count, plural, one {No: # thing to fix} other {No: # things to fix}}', { count });
  if (verdict === 'pass') return t('Yes');
  return t('{count, plural, one {Yes, but improve # thing} other {Yes, but improve # things}}', { count });
}

function Sources({ sources }: Pick<Row, 'sources'>) {
  return (
    <>
      {sources.map(({ name, url }, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <a href={url} rel="noreferrer">
            {name}
          </a>
        </span>
      ))}
    </>
  );
}
