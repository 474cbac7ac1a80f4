import type { getContactList } from '../../../jobs/contact-lists/contact-lists.ts';
import type { uploadRecord } from '../../../jobs/uploads/upload-record.ts';
import { T } from '../../../language/sentence.tsx';
import { joined, type Text, t } from '../../../language/text.ts';
import type { listTemplates } from '../../../templates/templates.ts';
import { pageUrl } from '../../links.ts';
import { count } from '../../money.ts';
import type { FormState } from '../../page.ts';
import { Field, FileField, Select } from '../../parts/field.tsx';
import { ButtonLink, Confirm, Submit } from '../../parts/form.tsx';
import { Empty, Notice } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useViewer } from '../../viewer.ts';
import { listProblems, ProblemTable } from '../files/problem-table.tsx';
import { describeFileProblem } from '../files/problem-texts.ts';
import { acceptedSpreadsheets } from '../files/spreadsheets.ts';

type ContactList = Awaited<ReturnType<typeof getContactList>>;
type UploadRecord = Awaited<ReturnType<typeof uploadRecord>>;
type Templates = Awaited<ReturnType<typeof listTemplates>>;

const recipients = { sms: t('phone numbers'), email: t('email addresses') };

interface ListTableProps {
  serviceId: string;
  lists: readonly ContactList[];
  now: Date;
  /** People who cannot send see only the names. */
  maySend: boolean;
}

export function ListTable({ serviceId, lists, now, maySend }: ListTableProps) {
  if (lists.length === 0) {
    return (
      <Empty title={t('No contact lists yet')}>
        {maySend
          ? t('Upload a spreadsheet with one column, called “email address” or “phone number”.')
          : t('The lists that your team keeps appear here.')}
      </Empty>
    );
  }
  return (
    <Table
      caption={t('Contact lists')}
      rows={lists}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('List'),
          cell: ({ id, original_file_name }) =>
            maySend ? (
              <a href={pageUrl(`/services/${serviceId}/contact-lists/${id}`)} dir="auto">
                {original_file_name}
              </a>
            ) : (
              <span dir="auto">{original_file_name}</span>
            ),
        },
        { head: t('Recipients'), numeric: true, cell: ({ row_count }) => count(row_count) },
        { head: t('Kind'), cell: ({ template_type }) => recipients[template_type] },
        {
          head: t('Saved'),
          cell: ({ created_at, created_by }) => [created_by, ', ', <Time key="at" at={created_at} now={now} />],
        },
      ]}
    />
  );
}

export function NewList({ formState }: { formState: FormState }) {
  return (
    <form class="stack measure" method="post" encType="multipart/form-data" noValidate>
      <FileField
        formState={formState}
        name="file"
        label={t('File')}
        hint={t(
          'A spreadsheet with one column, called “email address” or “phone number”. Up to 100,000 rows and 10 MB.',
        )}
        accept={acceptedSpreadsheets}
      />
      <Submit>{t('Check')}</Submit>
    </form>
  );
}

/** The result of a check. A list without problems can be saved. */
export function CheckedList({
  serviceId,
  record,
  maxRows,
  formState,
}: {
  serviceId: string;
  record: UploadRecord;
  maxRows: number;
  formState: FormState;
}) {
  const { country } = useViewer();
  const path = `/services/${serviceId}/contact-lists/${record.id}`;
  if (record.valid) {
    return (
      <form class="stack measure" method="post" action={pageUrl(`${path}/save`)} noValidate>
        <Notice tone="green">{praiseRows(record.row_count)}</Notice>
        <Field
          formState={formState}
          name="name"
          label={t('Name of the list')}
          value={record.original_file_name}
          autocomplete="off"
        />
        <Submit>{t('Save')}</Submit>
      </form>
    );
  }
  return (
    <div class="stack">
      <Notice tone="red">
        <ul>
          {Object.keys(record.problem_counts).map((problem) => (
            <li key={problem}>
              {describeFileProblem(country, problem as Parameters<typeof describeFileProblem>[1], record, maxRows)}
            </li>
          ))}
        </ul>
      </Notice>
      <ProblemTable
        problems={listProblems(record.rows_shown)}
        bad={record.problem_counts['row-errors'] ?? 0}
        path={path}
        canDownload
      />
      <p>
        <ButtonLink to={`/services/${serviceId}/contact-lists/new`}>{t('Choose another file')}</ButtonLink>
      </p>
    </div>
  );
}

function praiseRows(amount: number): string {
  if (amount === 1) return t('The row is fine.');
  return amount === 2 ? t('Both rows are fine.') : t('All {amount} rows are fine.', { amount: count(amount) });
}

interface SavedListProps {
  list: ContactList;
  templates: Templates;
  formState: FormState;
  now: Date;
  /** Whether this person can edit templates and delete lists. */
  mayEdit: boolean;
  /** Names of people who can edit templates. */
  writers: string | undefined;
}

export function SavedList({ list, templates, formState, now, mayEdit, writers }: SavedListProps) {
  const path = `/services/${list.service_id}/contact-lists/${list.id}`;
  return (
    <div class="stack measure">
      <p class="muted">
        <T>
          {{ rowCount: count(list.row_count) }} {{ recipients: recipients[list.template_type] }}, saved by{' '}
          {{ createdBy: list.created_by }} <Time at={list.created_at} now={now} />.
        </T>
      </p>
      {templates.length === 0 ? (
        <Notice tone="amber">
          {describeMissingTemplate(list.template_type, mayEdit ? undefined : writers)}{' '}
          {mayEdit && (
            <a href={pageUrl(`/services/${list.service_id}/templates/new/${list.template_type}`)}>
              {t('Write a template')}
            </a>
          )}
        </Notice>
      ) : (
        <form class="stack" method="post" action={pageUrl(path)} noValidate>
          <Select
            formState={formState}
            name="template_id"
            label={t('Send with')}
            choices={[
              { value: '', label: t('Choose a template') },
              ...templates.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          <Submit>{t('Check')}</Submit>
        </form>
      )}
      <div class="row">
        <ButtonLink to={`${path}/original.csv`} download>
          {t('Download CSV')}
        </ButtonLink>
        {mayEdit && (
          <Confirm label={t('Delete')} action={t('Delete this list')} to={pageUrl(`${path}/delete`)}>
            {t('We keep the messages that you sent to this list.')}
          </Confirm>
        )}
      </div>
    </div>
  );
}

const noTemplate = { sms: t('You have no template for texts yet.'), email: t('You have no template for emails yet.') };

function describeMissingTemplate(channel: keyof typeof noTemplate, writers: string | undefined): Text {
  if (writers === undefined) return noTemplate[channel];
  return joined([noTemplate[channel], t('Ask {writers} to write one.', { writers })]);
}
