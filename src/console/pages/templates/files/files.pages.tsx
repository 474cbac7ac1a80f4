import { Type } from 'typebox';
import { invalidField, notFound } from '../../../../platform/failure.ts';
import { maxFileBytes } from '../../../../templates/files/file-types.ts';
import {
  archiveEmailFile,
  createEmailFile,
  getEmailFile,
  listEmailFiles,
  updateEmailFile,
} from '../../../../templates/files/template-email-files.ts';
import type { CurrentTemplateRow } from '../../../../templates/template-row.ts';
import { updateTemplate } from '../../../../templates/template-update.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { isAboutForm, problemsOf } from '../../../form-state.ts';
import type { PageRequest, Pages } from '../../../page.ts';
import { FileField } from '../../../parts/file-field.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { getEditableTemplate, templatePath } from '../library.ts';
import { FileList, FileSettings } from './files.tsx';

const who = { service: 'templates' } as const;
type Writing = PageRequest<typeof who>;

/** Files of an email template: uploaded, then made live, which puts a placeholder for the link into the message. */
export function templateFilePages(pages: Pages, app: ConsoleApp): void {
  const path = '/services/:service_id/email-templates/:email_template_id/files';

  async function templateOf(request: Writing): Promise<CurrentTemplateRow> {
    const template = await getEditableTemplate(app, request, request.param('email_template_id'));
    if (template.template_type !== 'email') throw notFound();
    return template;
  }
  const crumbs = ({ service }: Writing, { id, name }: CurrentTemplateRow) => [
    { label: name, to: templatePath(service.id, id) },
  ];

  pages.add(path, {
    who,
    below: 'Templates',
    async show(request, formState) {
      const template = await templateOf(request);
      const files = await listEmailFiles(app, { service_id: request.service.id, template_id: template.id });
      return {
        title: 'Files',
        about: template.name,
        crumbs: crumbs(request, template),
        content: (
          <div class="stack measure">
            <FileList service={request.service.id} template={template.id} files={files} />
            {request.service.contact_link === null ? (
              <Notice tone="amber">
                Recipients need to know whom to ask about a file. Somebody who manages the settings has to enter the
                contact details for files first.
              </Notice>
            ) : (
              <form class="card stack" method="post" encType="multipart/form-data" noValidate>
                <h2>Add a file</h2>
                <FileField
                  formState={formState}
                  name="upload"
                  label="File"
                  accept=".pdf,.doc,.docx,.odt,.rtf,.txt,.csv,.xlsx,.json,.png,.jpg,.jpeg"
                  hint="At most 2 MB: PDF, Word, OpenDocument, Excel, CSV, text, JSON or a picture."
                />
                <div>
                  <button class="button button--primary" type="submit">
                    Upload
                  </button>
                </div>
              </form>
            )}
          </div>
        ),
      };
    },
    form: Type.Object({}),
    file: { name: 'upload', max_bytes: maxFileBytes, needs: 'Choose a file.' },
    async act(request, _form, file) {
      const template = await templateOf(request);
      if (request.service.contact_link === null)
        throw invalidField('upload', 'Enter the contact details for files first.');
      const content = Buffer.from(await file.bytes()).toString('base64');
      const of = { service_id: request.service.id, template_id: template.id };
      const created = await createEmailFile(app, of, {
        filename: file.filename,
        created_by_id: request.visitor.user.id,
        content,
      }).catch(aboutUpload);
      return { to: `/services/${request.service.id}/email-templates/${template.id}/files/${created.id}` };
    },
  });

  pages.add(`${path}/:template_file_id`, {
    who,
    below: 'Templates',
    async show(request, formState) {
      const template = await templateOf(request);
      const file = await fileOf(request);
      return {
        title: file.filename,
        about: template.name,
        crumbs: [
          ...crumbs(request, template),
          { label: 'Files', to: `/services/${request.service.id}/email-templates/${template.id}/files` },
        ],
        content: (
          <FileSettings
            formState={formState}
            file={file}
            to={`/console/services/${request.service.id}/email-templates/${template.id}/files/${file.id}`}
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
      const template = await templateOf(request);
      const file = await fileOf(request);
      const of = { service_id: request.service.id, template_id: template.id, email_file_id: file.id };
      const created_by = request.visitor.user.id;
      const to = `/services/${request.service.id}/email-templates/${template.id}/files`;
      const placeholder = `((${file.filename}))`;
      if (form.do === 'remove') {
        await archiveEmailFile(app, of, created_by);
        const content = template.content.replaceAll(placeholder, '').trim();
        if (content !== template.content)
          await updateTemplate(app, request.service.id, template.id, { content, created_by });
        return { to, notice: `${file.filename} is removed.` };
      }
      const retention_period = Number(form.weeks ?? 0);
      if (retention_period < 1 || retention_period > 78)
        throw invalidField('weeks', 'Enter a number of weeks from 1 to 78.');
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
        notice: isMadeLive ? `${file.filename} is part of the email: move ${placeholder} where it belongs.` : 'Saved.',
      };
    },
  });

  async function fileOf(request: Writing) {
    const file = await getEmailFile(app.db, {
      service_id: request.service.id,
      template_id: request.param('email_template_id'),
      email_file_id: request.param('template_file_id'),
    });
    if (file.archived_at !== null) throw notFound();
    return file;
  }
}

/** The rule speaks of the fields of the API. */
function aboutUpload(error: unknown): never {
  if (!isAboutForm(error)) throw error;
  throw invalidField('upload', [...problemsOf(error.detail).values()].join(' '));
}
