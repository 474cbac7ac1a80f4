import type { ComponentChildren } from 'preact';
import { T } from '../../../../language/sentence.tsx';
import { type Text, t } from '../../../../language/text.ts';
import { readBuild, readVersion } from '../../../../operations/build.ts';
import { checkNames } from '../../../../operations/overview/live-checks.ts';
import type { Overview } from '../../../../operations/overview/overview.ts';
import { Status } from '../../../parts/status.tsx';
import { Table } from '../../../parts/table.tsx';
import { ClockTime, Time, ZoneName } from '../../../parts/time.tsx';

const version = readVersion();
const { git_commit } = readBuild();

/** The most important facts, in one list. */
export function SystemFacts({ overview }: { overview: Overview }) {
  const { database, findings } = overview;
  const { workers, connections, max_connections, response_ms } = database;
  return (
    <dl class="facts">
      <dt>{t('Version')}</dt>
      <dd>
        <T>
          {{ version }} on Node {{ node: process.versions.node }}
        </T>
      </dd>
      <dt>{t('Workers')}</dt>
      <dd>
        <Good ok={workers > 0}>{workers === 0 ? t('None running') : t('{workers, number} running', { workers })}</Good>
      </dd>
      <Check findings={findings} name="database" label={t('Database')}>
        <T>
          {{ round: Math.round(response_ms) }} ms, {{ connections }} of {{ maxConnections: max_connections }}{' '}
          connections
        </T>
      </Check>
      <Check findings={findings} name="replica" label={t('Standby for reads')} />
      <Check findings={findings} name="disk" label={t('Disk')} />
      <Check findings={findings} name="virus scanner" label={t('Virus scanner')} />
      <Check findings={findings} name="clock" label={t('Clock')} />
    </dl>
  );
}

interface CheckProps {
  findings: Overview['findings'];
  name: string;
  label: Text;
  children?: ComponentChildren;
}

function Check({ findings, name, label, children }: CheckProps) {
  const finding = findings.find((one) => one.name === name);
  if (!finding) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <Good ok={finding.ok}>
          <span lang="en">{finding.description}</span>
        </Good>{' '}
        {children && <span class="muted">{children}</span>}
      </dd>
    </>
  );
}

function Good({ ok, children }: { ok: boolean; children: ComponentChildren }) {
  return <Status kind={ok ? 'delivered' : 'failed'}>{children}</Status>;
}

/** Every check with its result. Also the fragment that the page polls. */
export function SystemContent({ overview }: { overview: Overview }) {
  const { findings, now } = overview;
  return (
    <div class="stack">
      <section class="card" aria-label={t('Facts')}>
        <SystemFacts overview={overview} />
        {git_commit !== 'unknown' && (
          <p class="small muted">
            <T>Built from {{ gitCommit: git_commit }}.</T>
          </p>
        )}
      </section>
      <Table
        caption={t('Checks')}
        rows={findings}
        keyOf={({ name, provider = '' }) => name + provider}
        columns={[
          {
            head: t('Check', { context: 'what was checked' }),
            cell: ({ name }) => checkNames.get(name) ?? <code>{name}</code>,
          },
          {
            head: t('State'),
            cell: ({ ok, is_warning }) =>
              is_warning ? (
                <Status kind="sending">{t('Warning')}</Status>
              ) : (
                <Good ok={ok}>{ok ? t('Working') : t('Problem')}</Good>
              ),
          },
          // The output of `pennypost doctor`, which is in English.
          { head: t('Result'), cell: ({ description }) => <span lang="en">{description}</span> },
          {
            head: t('Since'),
            cell: ({ since }) => (since ? <Time at={since} now={now} /> : <span class="muted">–</span>),
          },
        ]}
      />
      <p class="small muted">
        <T>
          As of <ClockTime at={now.toISOString()} />, <ZoneName />.
        </T>
      </p>
    </div>
  );
}
