import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { asIs, joined, t } from '../../../language/text.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import { maxFileBytes } from '../../../templates/files/file-types.ts';
import {
  archiveEmailFile,
  createEmailFile,
  getEmailFile,
  listEmailFiles,
  updateEmailFile,
} from '../../../templates/files/template-email-files.ts';
import type { CurrentTemplateRow } from '../../../templates/template-row.ts';
import { updateTemplate } from '../../../templates/template-update.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { isAboutForm, problemsOf } from '../../forms.ts';
import { pageUrl } from '../../links.ts';
import type { FormState, PageRequest, Pages } from '../../page.ts';
import { Field, FileField } from '../../parts/field.tsx';
import { Confirm, Submit } from '../../parts/form.tsx';
import { Empty, Notice } from '../../parts/notice.tsx';
import { getEditableTemplate, has, templatePath } from './library.ts';

const who = { service: 'templates' } as const;
type Writing = PageRequest<typeof who>;

/** Files of an email template. After the upload, making a file live adds a placeholder for its link to the message. */
export function templateFilePages(pages: Pages, app: ConsoleApp): void {
  const path = '/services/:service_id/email-templates/:email_template_id/files';

  async function getEmailTemplate(request: Writing): Promise<CurrentTemplateRow> {
    const template = await getEditableTemplate(app, request, request.param('email_template_id'));
    if (template.template_type !== 'email') throw notFound();
    return template;
  }
  const buildCrumbs = ({ service }: Writing, { id, name }: CurrentTemplateRow) => [
    { label: asIs(name), to: templatePath(service.id, id) },
  ];

  pages.add(path, {
    who,
    below: 'Templates',
    async show(request, formState) {
      const template = await getEmailTemplate(request);
      const files = await listEmailFiles(app, { service_id: request.service.id, template_id: template.id });
      return {
        title: t('Files'),
        about: asIs(template.name),
        crumbs: buildCrumbs(request, template),
        content: (
          <div class="stack measure">
            <FileList service={request.service.id} template={template.id} files={files} />
            {request.service.contact_link === null ? (
              <NoContact request={request} />
            ) : (
              <form class="card stack" method="post" encType="multipart/form-data" noValidate>
                <h2>{t('Add a file')}</h2>
                <FileField
                  formState={formState}
                  name="upload"
                  label={t('File')}
                  accept=".pdf,.doc,.docx,.odt,.rtf,.txt,.csv,.xlsx,.json,.png,.jpg,.jpeg"
                  hint={t('PDF, Word, OpenDocument, Excel, CSV, text, JSON or a picture, at most 2 MB.')}
                />
                <Submit>{t('Upload')}</Submit>
              </form>
            )}
          </div>
        ),
      };
    },
    form: Type.Object({}),
    file: { name: 'upload', max_bytes: maxFileBytes, needs: t('Choose a file.') },
    async act(request, _form, file) {
      const template = await getEmailTemplate(request);
      if (request.service.contact_link === null)
        throw invalidField('upload', t('Add contact details for files in the settings first.'));
      const content = Buffer.from(await file.bytes()).toString('base64');
      const of = { service_id: request.service.id, template_id: template.id };
      const created = await createEmailFile(app, of, {
        filename: file.filename,
        created_by_id: request.visitor.user.id,
        content,
      }).catch(refuseUpload);
      return { to: `/services/${request.service.id}/email-templates/${template.id}/files/${created.id}` };
    },
  });

  pages.add(`${path}/:template_file_id`, {
    who,
    below: 'Templates',
    async show(request, formState) {
      const template = await getEmailTemplate(request);
      const file = await getFile(request);
      return {
        title: asIs(file.filename),
        about: asIs(template.name),
        crumbs: [
          ...buildCrumbs(request, template),
          { label: t('Files'), to: `/services/${request.service.id}/email-templates/${template.id}/files` },
        ],
        content: (
          <FileSettings
            formState={formState}
            file={file}
            to={pageUrl(`/services/${request.service.id}/email-templates/${template.id}/files/${file.id}`)}
          />
        ),
      };
    },
    form: Type.Object({
      do: Type.Optional(Type.String()),
      link_text: Type.Optional(Type.String({ maxLength: 255 })),
      weeks: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$' })),
      ask: Type.Optional(Type.String()),
    }),
    async act(request, form) {
      const template = await getEmailTemplate(request);
      const file = await getFile(request);
      const of = { service_id: request.service.id, template_id: template.id, email_file_id: file.id };
      const created_by = request.visitor.user.id;
      const to = `/services/${request.service.id}/email-templates/${template.id}/files`;
      const placeholder = `((${file.filename}))`;
      if (form.do === 'remove') {
        await archiveEmailFile(app, of, created_by);
        const content = template.content.replaceAll(placeholder, '').trim();
        if (content !== template.content)
          await updateTemplate(app, request.service.id, template.id, { content, created_by });
        return { to, notice: t('{filename} removed.', { filename: file.filename }) };
      }
      const retention_period = Number(form.weeks ?? 0);
      if (retention_period < 1 || retention_period > 78)
        throw invalidField('weeks', t('Enter a number of weeks from 1 to 78.'));
      const isMadeLive = form.do === 'live';
      await updateEmailFile(app, of, {
        link_text: form.link_text ?? null,
        retention_period,
        validate_users_email: form.ask === 'yes',
        ...(isMadeLive ? { pending: false } : {}),
      });
      if (isMadeLive && !template.content.includes(placeholder)) {
        const content = `${template.content}\n\n${placeholder}`;
        await updateTemplate(app, request.service.id, template.id, { content, created_by });
      }
      return {
        to,
        notice: isMadeLive
          ? t('{filename} added to the email. Move {placeholder} to where you want the link.', {
              filename: file.filename,
              placeholder,
            })
          : t('File saved.'),
      };
    },
  });

  async function getFile(request: Writing) {
    const file = await getEmailFile(app.db, {
      service_id: request.service.id,
      template_id: request.param('email_template_id'),
      email_file_id: request.param('template_file_id'),
    });
    if (file.archived_at !== null) throw notFound();
    return file;
  }
}

/** Shows a rejection beside the field of the form. The rule names the fields of the API. */
function refuseUpload(error: unknown): never {
  if (!isAboutForm(error)) throw error;
  throw invalidField('upload', joined([...problemsOf(error).values()]));
}

/** Says what is missing before files can be sent, and who can add it. */
function NoContact({ request }: { request: Writing }) {
  return (
    <Notice tone="amber">
      {t('Your service has no contact details for files, so people would not know who to ask about a file.')}{' '}
      {has(request, 'manage') ? (
        <a href={pageUrl(`/services/${request.service.id}/settings/email/files-contact`)}>{t('Add contact details')}</a>
      ) : (
        t('Ask someone who can manage the settings to add them.')
      )}
    </Notice>
  );
}

type EmailFileRow = Awaited<ReturnType<typeof listEmailFiles>>[number];

function FileList({ service, template, files }: { service: string; template: string; files: EmailFileRow[] }) {
  if (files.length === 0) return <Empty title={t('No files yet')}>{t('Files you upload appear here.')}</Empty>;
  return (
    <ul class="card list">
      {files.map(({ id, filename, pending, retention_period }) => (
        <li key={id}>
          <a href={pageUrl(`/services/${service}/email-templates/${template}/files/${id}`)} dir="auto">
            {filename}
          </a>
          <span class="muted small">
            {t('{count, plural, one {Kept for # week} other {Kept for # weeks}}', { count: retention_period })}
          </span>
          <span class={pending ? 'badge tone-amber' : 'badge tone-green'}>
            {pending ? t('Not in the email yet') : t('Live')}
          </span>
        </li>
      ))}
    </ul>
  );
}

function FileSettings({ formState, file, to }: { formState: FormState; file: EmailFileRow; to: string }) {
  const isAsked = formState.typed.size > 0 ? formState.typed.get('ask') === 'yes' : file.validate_users_email;
  return (
    <div class="stack measure">
      <form class="stack" method="post" noValidate>
        <Field
          formState={formState}
          name="link_text"
          label={t('Link text')}
          hint={t('What people select to open the file. Without it they see the web address.')}
          value={file.link_text ?? ''}
        />
        <Field
          formState={formState}
          name="weeks"
          label={t('Weeks that the file can be downloaded')}
          hint={t('From 1 to 78, counted from each email.')}
          value={String(file.retention_period)}
          inputmode="numeric"
          short
        />
        <label class="choice">
          <input type="checkbox" name="ask" value="yes" checked={isAsked} />
          <span>{t('Ask recipients for their email address before the download')}</span>
        </label>
        <div class="row">
          {file.pending && (
            <button class="button button--primary" type="submit" name="do" value="live">
              {t('Make it live')}
            </button>
          )}
          <button class={file.pending ? 'button' : 'button button--primary'} type="submit" name="do" value="save">
            {t('Save')}
          </button>
        </div>
        {file.pending && (
          <p class="small muted">
            <T>
              Making it live puts (({{ filename: file.filename }})) at the end of the message. Move it to where you want
              the link.
            </T>
          </p>
        )}
      </form>
      <Confirm
        label={t('Remove…')}
        action={t('Remove {filename}', { filename: file.filename })}
        to={to}
        fields={{ do: 'remove' }}
      >
        {t('This removes the file and its placeholder from the email. Links that were already sent keep working.')}
      </Confirm>
    </div>
  );
}
