import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { isOld } from '../../../sending-domains/keys/dkim-keys.ts';
import type { SendingDomain } from '../../../sending-domains/sending-domains.ts';
import { Notice } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Copy } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { checkLabels, noteTexts, purposeLabels, reasonText, wayLabels } from './domain-labels.ts';

interface DomainProps {
  domain: SendingDomain;
  /** The sender of emails while this domain cannot be used. */
  fallback: string;
  now: Date;
}

const verdicts = {
  pass: { kind: 'delivered', word: t('Found', { context: 'a DNS record is there' }) },
  warn: { kind: 'sending', word: t('Needs improvement') },
  fail: { kind: 'failed', word: t('Wrong') },
  unknown: { kind: 'cancelled', word: t('Unknown') },
} as const;

/** Explains the state and its effect on the owner's emails. */
export function StateOfDomain({ domain, fallback, now }: DomainProps) {
  const missing = domain.records.filter(({ needed, verdict }) => needed && verdict !== 'pass' && verdict !== 'warn');
  const { name, hold, state, records } = domain;
  if (state === 'retired') return <Notice>{t('This domain is retired. No email comes from it.')}</Notice>;
  if (state === 'suspended') {
    return (
      <Notice tone="red">
        <T>
          <b>No email comes from {{ name }}.</b> A record or a server was wrong for a day.
        </T>{' '}
        {hold
          ? t('Emails wait until the domain is verified again.')
          : t('Until the domain is verified again, emails come from {fallback}.', { fallback })}
      </Notice>
    );
  }
  if (state === 'pending') {
    return (
      <Notice tone="amber">
        <b>
          {missing.length === 0
            ? t('Not yet: we have not checked every record.')
            : t('{count, plural, one {Not yet: # record is missing.} other {Not yet: # records are missing.}}', {
                count: missing.length,
              })}
        </b>{' '}
        {t('Until then emails come from {fallback}.', { fallback })}{' '}
        {records.some(({ purpose, verdict }) => purpose === 'ownership' && verdict !== 'pass') &&
          t('We check the other records once we have found the ownership record.')}
      </Notice>
    );
  }
  if (domain.required_failing_since !== null) {
    return (
      <Notice tone="amber">
        <T>
          <b>Emails come from {{ name }}, but a record or a server is wrong</b> since{' '}
          <Time at={domain.required_failing_since} now={now} />. After 24 hours emails no longer come from this domain.
        </T>
      </Notice>
    );
  }
  if (!domain.is_chosen) {
    return (
      <Notice>{t('{name} is verified. Emails come from another domain until you choose this one.', { name })}</Notice>
    );
  }
  return (
    <Notice tone={state === 'verified' ? 'green' : 'blue'}>
      <b>{t('Emails come from {name}.', { name })}</b>{' '}
      {state === 'warning' && t('One of the checks below found something that you can improve.')}
    </Notice>
  );
}

type DomainRecord = SendingDomain['records'][number];

/** The DNS records to create, each with a button to copy it, and what the name servers return instead. */
export function DomainRecords({ domain }: Pick<DomainProps, 'domain'>) {
  const { records, way } = domain;
  const idOf = (record: DomainRecord, part: string) => `${part}-${records.indexOf(record)}`;
  const copyable = (record: DomainRecord, part: 'name' | 'value', label: string) => (
    <>
      <code class="breaks" id={idOf(record, part)}>
        {record[part]}
      </code>
      <br />
      <Copy of={idOf(record, part)} label={label} what={t('of the record {name}', { name: record.name })} />
    </>
  );
  return (
    <Table
      caption={t('Records of {name}', { name: domain.name })}
      rows={records}
      keyOf={({ type, name, value }) => `${type} ${name} ${value}`}
      columns={[
        {
          head: t('Record'),
          cell: ({ purpose, type, needed }) => (
            <>
              {purposeLabels.get(purpose)}{' '}
              <small>{needed ? t('{type}, needed', { type }) : t('{type}, recommended', { type })}</small>
            </>
          ),
        },
        { head: t('Name'), cell: (record) => copyable(record, 'name', t('Copy name')) },
        {
          head: t('Value'),
          cell: (record) => (
            <>
              {copyable(record, 'value', t('Copy value'))}
              {record.verdict === 'fail' && <FoundInstead found={answersTo(domain, record)} />}
            </>
          ),
        },
        {
          head: t('State'),
          cell: ({ verdict, reason, purpose }) =>
            verdict === null ? (
              <Status kind="accepted">{t('Not found yet')}</Status>
            ) : (
              <>
                <Status kind={verdicts[verdict].kind}>
                  {reason === 'record-missing' ? t('Missing') : verdicts[verdict].word}
                </Status>
                {verdict !== 'pass' && reason !== null && (
                  <small>{reasonText({ check_name: purpose, reason }, way)}</small>
                )}
              </>
            ),
        },
      ]}
    />
  );
}

/** What the name servers returned for a record. */
function answersTo({ checks }: SendingDomain, { type, name }: DomainRecord): string[] {
  const asked = checks.flatMap(({ evidence }) => (evidence as { queries?: Query[] }).queries ?? []);
  const answer = asked.find(({ query }) => query === `${type} ${name}`)?.answer;
  return Array.isArray(answer) ? answer : [];
}

function FoundInstead({ found }: { found: string[] }) {
  if (found.length === 0) return null;
  return (
    <p class="small">
      <b>{t('Found instead:')}</b>{' '}
      {found.map((value) => (
        <code key={value} class="breaks">
          {value}
        </code>
      ))}
    </p>
  );
}

/** Starts an email with all records, for people who can create them. */
export function MailRecords({ domain: { name, records } }: Pick<DomainProps, 'domain'>) {
  const written = records.map(({ type, needed, name, value }) =>
    [
      needed ? type : t('{type} (recommended)', { type }),
      t('Name: {name}', { name }),
      t('Value: {value}', { value }),
    ].join('\n'),
  );
  const body = [t('Publish these DNS records for {name}:', { name }), ...written].join('\n\n');
  const subject = t('DNS records for {name}', { name });
  return (
    <a href={`mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(`${body}\n`)}`}>
      {t('Send these to your DNS team')}
    </a>
  );
}

interface Query {
  query: string;
  answer: string[] | string;
}

interface CheckEvidence {
  queries?: Query[];
  notes?: string[];
  server?: string;
  record?: string;
}

/** The result of each check, with the DNS queries and responses. */
export function DomainChecks({ domain, now }: Pick<DomainProps, 'domain' | 'now'>) {
  const order = [...checkLabels.keys()];
  const checks = [...domain.checks].sort(
    (one, other) => order.indexOf(one.check_name) - order.indexOf(other.check_name),
  );
  if (checks.length === 0) return <p class="muted">{t('No check yet. The first one comes within a minute.')}</p>;
  return (
    <ul class="list">
      {checks.map((check) => {
        const { check_name, verdict, evidence, since } = check;
        const { queries = [], notes = [], server, record } = evidence as CheckEvidence;
        const about = checkLabels.get(check_name) ?? check_name;
        return (
          <li key={check_name}>
            <div class="stack stack--tight">
              <p class="row">
                <b>{about}</b>
                <Status kind={verdicts[verdict].kind}>
                  {verdict === 'pass' ? t('OK', { context: 'not wrong' }) : verdicts[verdict].word}
                </Status>
              </p>
              <p>
                {reasonText(check, domain.way)}{' '}
                {verdict !== 'pass' && (server ?? record) && <code class="breaks">{server ?? record}</code>}{' '}
                <span class="muted">
                  <T>
                    Since <Time at={since} now={now} />.
                  </T>
                </span>
              </p>
              {notes.map((note) => (
                <p key={note}>{noteTexts.get(note)}</p>
              ))}
              <Evidence queries={queries} about={about} />
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function Evidence({ queries, about }: { queries: Query[]; about: string }) {
  if (queries.length === 0) return null;
  return (
    <details class="more">
      <summary>
        <T>
          What we found<span class="sr"> for {{ about }}</span>
        </T>
      </summary>
      <dl class="small stack stack--tight">
        {queries.map(({ query, answer }) => (
          <div key={query}>
            <dt>
              <code class="breaks">{query}</code>
            </dt>
            <dd>
              {typeof answer === 'string' ? (
                ({
                  nxdomain: t('The name does not exist'),
                  nodata: t('No such record'),
                  failure: t('The name server did not respond'),
                  private: t('A private address, which we do not show'),
                }[answer] ?? answer)
              ) : (
                <code class="breaks">{answer.join(' | ')}</code>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const keyLabels = new Map<string, string>([
  ['waiting', t('New: publish its record')],
  ['ready', t('New: ready to be used')],
  ['signing', t('Signs the emails')],
  ['retiring', t('Old: its record must stay')],
]);

interface KeysProps extends Pick<DomainProps, 'domain' | 'now'> {
  mayChange: boolean;
}

/** The keys of a domain that we sign for, and how to rotate them. */
export function DomainKeys({ domain, now, mayChange }: KeysProps) {
  const { keys, way } = domain;
  const inUse = keys.filter(({ state }) => state !== 'deleted');
  const erased = keys.filter(({ state }) => state === 'deleted').at(-1);
  const next = keys.find(({ state }) => state === 'ready');
  if (way !== 'signed-here') return <p>{wayLabels[way]}</p>;
  return (
    <div class="stack stack--tight">
      <ul class="list">
        {inUse.map((key) => (
          <li key={key.id}>
            <p>
              <code>{key.selector}</code>{' '}
              {key.state === 'retiring' && key.retire_at !== null ? (
                <T>
                  Old: its record must stay until <Time at={key.retire_at} now={now} />
                </T>
              ) : (
                keyLabels.get(key.state)
              )}
            </p>
          </li>
        ))}
      </ul>
      {erased && <p class="small">{t('You can delete the record of {selector}.', { selector: erased.selector })}</p>}
      {keys.some((key) => isOld(key, now)) && (
        <Notice tone="amber">{t('This key is older than a year. Create a new one.')}</Notice>
      )}
      {mayChange && next && (
        <form method="post">
          <input type="hidden" name="task" value="use-key" />
          <input type="hidden" name="key_id" value={next.id} />
          <p class="small">{t('We start to use the new key automatically a day after it is ready.')}</p>
          <button class="button" type="submit">
            {t('Use the new key')}
          </button>
        </form>
      )}
      {mayChange && inUse.length === 1 && domain.state !== 'retired' && (
        <form method="post">
          <input type="hidden" name="task" value="new-key" />
          <button class="button" type="submit">
            {t('Create a new key')}
          </button>
        </form>
      )}
    </div>
  );
}
