import { Type } from 'typebox';
import { t } from '../../../language/text.ts';
import type { Service } from '../../../services/services.ts';
import { changeMailTemplate, getMailTemplate } from '../../../templates/mail-template.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { Field, TextArea } from '../../parts/field.tsx';
import { SaveForm } from '../../parts/form.tsx';

const who = { service: 'templates' } as const;
const readers = { service: 'api' } as const;

/** Some people who write templates cannot open the page "Send over SMTP". */
function backTo(service: Service, { user }: PageRequest<typeof who>['visitor']): string {
  const home = `/services/${service.id}`;
  return may(readers, user, service) === 'yes' ? `${home}/integration/smtp` : home;
}

/** The text around emails that arrive over SMTP. */
export function smtpTemplatePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/integration/smtp/template', {
    who,
    below: 'Integration',
    name: t('Text around emails sent over SMTP'),
    async show({ service, visitor }, formState) {
      const template = await getMailTemplate(app.db, service.id);
      const { typed } = formState;
      const version = String(typed.get('version') ?? template.version);
      const hasLink = typed.size > 0 ? typed.get('unsubscribe_link') === 'yes' : template.has_unsubscribe_link;
      const back = backTo(service, visitor);
      return {
        title: t('Text around emails sent over SMTP'),
        lead: t(
          'Emails from other software are sent with this text, unless they name a template. Links to attachments follow the text of the email.',
        ),
        crumbs: back.endsWith('/smtp') ? [{ label: t('Send over SMTP'), to: back }] : [],
        content: (
          <SaveForm back={back}>
            <input type="hidden" name="version" value={version} />
            <Field
              formState={formState}
              name="subject"
              label={t('Subject')}
              hint={t('((subject)) stands for the subject of the email.')}
              value={template.subject}
            />
            <TextArea
              formState={formState}
              name="content"
              label={t('Message')}
              hint={t('((body)) stands for the text of the email. Write above and below it.')}
              rows={16}
              value={template.content}
            />
            <label class="choice">
              <input type="checkbox" id="unsubscribe_link" name="unsubscribe_link" value="yes" checked={hasLink} />
              <span>{t('Add an unsubscribe link')}</span>
            </label>
          </SaveForm>
        ),
      };
    },
    form: Type.Object({
      version: Type.String({ pattern: '^[0-9]{1,9}$' }),
      subject: Type.String(),
      content: Type.String(),
      unsubscribe_link: Type.Optional(Type.Literal('yes')),
    }),
    needs: { subject: t('Enter a subject.'), content: t('Enter a message.') },
    async act({ service, visitor }, { version, subject, content, unsubscribe_link }) {
      await changeMailTemplate(app, service.id, {
        ...{ version: Number(version), subject, content: content.replaceAll('\r\n', '\n') },
        has_unsubscribe_link: unsubscribe_link === 'yes',
      });
      return {
        to: backTo(service, visitor),
        notice: t('Text saved. The next email uses it.'),
      };
    },
  });
}
