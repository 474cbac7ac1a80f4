import type { ComponentChildren } from 'preact';
import { readBuild, readVersion } from '../../../../operations/build.ts';
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
      <dt>Version</dt>
      <dd>
        {version} on Node {process.versions.node}
      </dd>
      <dt>Workers</dt>
      <dd>
        <Good ok={workers > 0}>{workers === 0 ? 'None alive' : `${workers} alive`}</Good>
      </dd>
      <Check findings={findings} name="database" label="Database">
        {Math.round(response_ms)} ms, {connections} of {max_connections} connections
      </Check>
      <Check findings={findings} name="replica" label="Standby for reads" />
      <Check findings={findings} name="disk" label="Disk" />
      <Check findings={findings} name="virus scanner" label="Virus scanner" />
      <Check findings={findings} name="clock" label="Clock" />
    </dl>
  );
}

interface CheckProps {
  findings: Overview['findings'];
  name: string;
  label: string;
  children?: ComponentChildren;
}

function Check({ findings, name, label, children }: CheckProps) {
  const finding = findings.find((one) => one.name === name);
  if (!finding) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <Good ok={finding.ok}>{finding.description}</Good> {children && <span class="muted">{children}</span>}
      </dd>
    </>
  );
}

function Good({ ok, children }: { ok: boolean; children: string }) {
  return <Status kind={ok ? 'delivered' : 'failed'}>{children}</Status>;
}

const names = new Map([
  ['node', 'Node'],
  ['data folder', 'Data folder'],
  ['disk', 'Disk'],
  ['files', 'Files'],
  ['database', 'Database'],
  ['schema', 'Schema'],
  ['standbys', 'Standbys'],
  ['replica', 'Standby for reads'],
  ['clock', 'Clock'],
  ['secret key', 'Secret key'],
  ['single sign-on', 'Single sign-on'],
  ['sms', 'Text provider'],
  ['email', 'Email provider'],
  ['bounce mailbox', 'Bounce mailbox'],
  ['printer', 'Printer'],
  ['virus scanner', 'Virus scanner'],
  ['database disk', 'Disk of the database'],
]);

/** Also a fragment: every check with its result. */
export function SystemContent({ overview }: { overview: Overview }) {
  const { findings, now } = overview;
  return (
    <div class="stack">
      <section class="card" aria-label="Facts">
        <SystemFacts overview={overview} />
        {git_commit !== 'unknown' && <p class="small muted">Built from {git_commit}.</p>}
      </section>
      <Table
        caption="Checks"
        rows={findings}
        keyOf={({ name, provider = '' }) => name + provider}
        columns={[
          { head: 'Check', cell: ({ name }) => names.get(name) ?? name },
          {
            head: 'State',
            cell: ({ ok, is_warning }) =>
              is_warning ? <Status kind="sending">Warning</Status> : <Good ok={ok}>{ok ? 'Well' : 'Problem'}</Good>,
          },
          { head: 'Result', cell: ({ description }) => description },
          {
            head: 'Since',
            cell: ({ since }) => (since ? <Time at={since} now={now} /> : <span class="muted">–</span>),
          },
        ]}
      />
      <p class="small muted">
        As of <ClockTime at={now.toISOString()} />, <ZoneName />.
      </p>
    </div>
  );
}
