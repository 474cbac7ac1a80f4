import type { getContactList } from '../../../jobs/contact-lists/contact-lists.ts';
import type { uploadRecord } from '../../../jobs/uploads/upload-record.ts';
import { contactListProblemTexts } from '../../../recipients/spreadsheet/spreadsheet-problems.ts';
import type { listTemplates } from '../../../templates/templates.ts';
import { count } from '../../money.ts';
import type { FormState } from '../../page.ts';
import { Field, FileField, HintAndError } from '../../parts/field.tsx';
import { Confirm } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ProblemRows } from '../files/problem-table.tsx';
import { acceptedSpreadsheets } from '../files/spreadsheets.ts';

type ContactList = Awaited<ReturnType<typeof getContactList>>;
type UploadRecord = Awaited<ReturnType<typeof uploadRecord>>;
type Templates = Awaited<ReturnType<typeof listTemplates>>;

const recipients = { sms: 'phone numbers', email: 'email addresses' };

interface ListTableProps {
  serviceId: string;
  lists: readonly ContactList[];
  now: Date;
  /** Those who may not send see the names only. */
  maySend: boolean;
}

export function ListTable({ serviceId, lists, now, maySend }: ListTableProps) {
  if (lists.length === 0) {
    return (
      <div class="empty">
        <h2>There is no list yet</h2>
        <p>A list is a spreadsheet with one column: email address or phone number.</p>
      </div>
    );
  }
  return (
    <Table
      caption="Contact lists"
      rows={lists}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'List',
          cell: ({ id, original_file_name }) =>
            maySend ? (
              <a href={`/console/services/${serviceId}/contact-lists/${id}`}>{original_file_name}</a>
            ) : (
              original_file_name
            ),
        },
        { head: 'Recipients', numeric: true, cell: ({ row_count }) => count(row_count) },
        { head: 'Kind', cell: ({ template_type }) => recipients[template_type] },
        {
          head: 'Saved',
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
        label="File"
        hint="A spreadsheet with one column, named email address or phone number; up to 100,000 rows and 10 MB."
        accept={acceptedSpreadsheets}
      />
      <div>
        <button class="button button--primary" type="submit">
          Check
        </button>
      </div>
    </form>
  );
}

/** What the check found; a list without problems can be saved. */
export function CheckedList({
  serviceId,
  record,
  formState,
}: {
  serviceId: string;
  record: UploadRecord;
  formState: FormState;
}) {
  const path = `/console/services/${serviceId}/contact-lists/${record.id}`;
  if (record.valid) {
    return (
      <form class="stack measure" method="post" action={`${path}/save`} noValidate>
        <Notice tone="green">All {count(record.row_count)} rows are good.</Notice>
        <Field
          formState={formState}
          name="name"
          label="Name of the list"
          value={record.original_file_name}
          autocomplete="off"
        />
        <div>
          <button class="button button--primary" type="submit">
            Save
          </button>
        </div>
      </form>
    );
  }
  return (
    <div class="stack">
      <Notice tone="red">
        <ul>
          {Object.keys(record.problem_counts).map((problem) => (
            <li key={problem}>{contactListProblemTexts[problem as keyof typeof contactListProblemTexts]}.</li>
          ))}
        </ul>
      </Notice>
      <ProblemRows record={record} bad={record.problem_counts['row-errors'] ?? 0} path={path} />
      <p>
        <a class="button" href={`/console/services/${serviceId}/contact-lists/new`}>
          Choose another file
        </a>
      </p>
    </div>
  );
}

interface SavedListProps {
  list: ContactList;
  templates: Templates;
  formState: FormState;
  now: Date;
  mayDelete: boolean;
}

export function SavedList({ list, templates, formState, now, mayDelete }: SavedListProps) {
  const path = `/console/services/${list.service_id}/contact-lists/${list.id}`;
  const error = formState.problems.get('template_id');
  return (
    <div class="stack measure">
      <p class="muted">
        {count(list.row_count)} {recipients[list.template_type]}, saved by {list.created_by}{' '}
        <Time at={list.created_at} now={now} />.
      </p>
      {templates.length === 0 ? (
        <Notice tone="amber">There is no template to send with: write one for this channel first.</Notice>
      ) : (
        <form class="stack" method="post" action={path} noValidate>
          <div class={error === undefined ? 'field' : 'field field--error'}>
            <label class="label" for="template_id">
              Send with
            </label>
            <HintAndError name="template_id" hint={undefined} error={error} />
            <select
              class="input"
              id="template_id"
              name="template_id"
              aria-invalid={error === undefined ? undefined : 'true'}
            >
              <option value="">Choose a template</option>
              {templates.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <div>
            <button class="button button--primary" type="submit">
              Check
            </button>
          </div>
        </form>
      )}
      <div class="row">
        <a class="button" href={`${path}/original.csv`} download>
          Download CSV
        </a>
        {mayDelete && (
          <Confirm label="Delete" action="Delete this list" to={`${path}/delete`}>
            Messages that were sent with it stay.
          </Confirm>
        )}
      </div>
    </div>
  );
}
