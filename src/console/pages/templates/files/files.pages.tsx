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
import { isAboutForm, problemsOf } from '../../../draft.ts';
import type { Asked, Pages } from '../../../page.ts';
import { FileField } from '../../../parts/file-field.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { getEditableTemplate, templatePath } from '../library.ts';
import { FileList, FileSettings } from './files.tsx';

const who = { service: 'templates' } as const;
type Writing = Asked<typeof who>;

/** Files of an email template: uploaded, then made live, which puts a placeholder for the link into the message. */
export function templateFilePages(pages: Pages, app: ConsoleApp): void {
  const path = '/services/:service_id/email-templates/:email_template_id/files';

  async function templateOf(asked: Writing): Promise<CurrentTemplateRow> {
    const template = await getEditableTemplate(app, asked, asked.param('email_template_id'));
    if (template.template_type !== 'email') throw notFound();
    return template;
  }
  const crumbs = ({ service }: Writing, { id, name }: CurrentTemplateRow) => [
    { label: name, to: templatePath(service.id, id) },
  ];

  pages.add(path, {
    who,
    below: 'Templates',
    async show(asked, draft) {
      const template = await templateOf(asked);
      const files = await listEmailFiles(app, { service_id: asked.service.id, template_id: template.id });
      return {
        title: 'Files',
        about: template.name,
        crumbs: crumbs(asked, template),
        content: (
          <div class="stack measure">
            <FileList service={asked.service.id} template={template.id} files={files} />
            {asked.service.contact_link === null ? (
              <Notice tone="amber">
                Recipients need to know whom to ask about a file. Somebody who manages the settings has to enter the
                contact details for files first.
              </Notice>
            ) : (
              <form class="card stack" method="post" encType="multipart/form-data" noValidate>
                <h2>Add a file</h2>
                <FileField
                  draft={draft}
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
    async act(asked, _form, file) {
      const template = await templateOf(asked);
      if (asked.service.contact_link === null)
        throw invalidField('upload', 'Enter the contact details for files first.');
      const content = Buffer.from(await file.bytes()).toString('base64');
      const of = { service_id: asked.service.id, template_id: template.id };
      const created = await createEmailFile(app, of, {
        filename: file.filename,
        created_by_id: asked.visitor.user.id,
        content,
      }).catch(aboutUpload);
      return { to: `/services/${asked.service.id}/email-templates/${template.id}/files/${created.id}` };
    },
  });

  pages.add(`${path}/:template_file_id`, {
    who,
    below: 'Templates',
    async show(asked, draft) {
      const template = await templateOf(asked);
      const file = await fileOf(asked);
      return {
        title: file.filename,
        about: template.name,
        crumbs: [
          ...crumbs(asked, template),
          { label: 'Files', to: `/services/${asked.service.id}/email-templates/${template.id}/files` },
        ],
        content: (
          <FileSettings
            draft={draft}
            file={file}
            to={`/console/services/${asked.service.id}/email-templates/${template.id}/files/${file.id}`}
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
    async act(asked, form) {
      const template = await templateOf(asked);
      const file = await fileOf(asked);
      const of = { service_id: asked.service.id, template_id: template.id, email_file_id: file.id };
      const created_by = asked.visitor.user.id;
      const to = `/services/${asked.service.id}/email-templates/${template.id}/files`;
      const placeholder = `((${file.filename}))`;
      if (form.do === 'remove') {
        await archiveEmailFile(app, of, created_by);
        const content = template.content.replaceAll(placeholder, '').trim();
        if (content !== template.content)
          await updateTemplate(app, asked.service.id, template.id, { content, created_by });
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
        await updateTemplate(app, asked.service.id, template.id, { content, created_by });
      }
      return {
        to,
        notice: isMadeLive ? `${file.filename} is part of the email: move ${placeholder} where it belongs.` : 'Saved.',
      };
    },
  });

  async function fileOf(asked: Writing) {
    const file = await getEmailFile(app.db, {
      service_id: asked.service.id,
      template_id: asked.param('email_template_id'),
      email_file_id: asked.param('template_file_id'),
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
