import type { listEmailFiles } from '../../../../templates/files/template-email-files.ts';
import type { FormState } from '../../../page.ts';
import { Confirm } from '../../../parts/confirm.tsx';
import { Field } from '../../../parts/field.tsx';

type EmailFileRow = Awaited<ReturnType<typeof listEmailFiles>>[number];

export function FileList({ service, template, files }: { service: string; template: string; files: EmailFileRow[] }) {
  if (files.length === 0) return <p class="muted">This email has no files yet.</p>;
  return (
    <ul class="card list">
      {files.map(({ id, filename, pending, retention_period }) => (
        <li key={id}>
          <a href={`/console/services/${service}/email-templates/${template}/files/${id}`}>{filename}</a>
          <span class="muted small">kept for {retention_period} weeks</span>
          <span class={pending ? 'badge tone-amber' : 'badge tone-green'}>
            {pending ? 'Not in the email yet' : 'Live'}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function FileSettings({ formState, file, to }: { formState: FormState; file: EmailFileRow; to: string }) {
  const isAsked = formState.typed.size > 0 ? formState.typed.get('ask') === 'yes' : file.validate_users_email;
  return (
    <div class="stack measure">
      <form class="stack" method="post" noValidate>
        <Field
          formState={formState}
          name="link_text"
          label="Link text"
          hint="What recipients click on. Without it they see the address."
          value={file.link_text ?? ''}
        />
        <Field
          formState={formState}
          name="weeks"
          label="Weeks that the file can be downloaded"
          hint="From 1 to 78, counted from each email."
          value={String(file.retention_period)}
          inputmode="numeric"
          short
        />
        <label class="choice">
          <input type="checkbox" name="ask" value="yes" checked={isAsked} />
          <span>Ask recipients for their email address before the download</span>
        </label>
        <div class="row">
          {file.pending && (
            <button class="button button--primary" type="submit" name="do" value="live">
              Make it live
            </button>
          )}
          <button class={file.pending ? 'button' : 'button button--primary'} type="submit" name="do" value="save">
            Save
          </button>
        </div>
        {file.pending && (
          <p class="small muted">
            Making it live puts (({file.filename})) at the end of the message: move it where it belongs.
          </p>
        )}
      </form>
      <Confirm label="Remove…" action={`Remove ${file.filename}`} to={to} fields={{ do: 'remove' }}>
        The file and its placeholder leave the email. Links that were sent already keep working.
      </Confirm>
    </div>
  );
}
