import { Type } from 'typebox';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { sendOverSmtp } from '../../../inlet/settings.ts';
import { t } from '../../../language/text.ts';
import { invalidField } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { parseEmailAddress } from '../../../recipients/email-address.ts';
import { parsePhoneNumber } from '../../../recipients/phone-number.ts';
import { getChosenDomains } from '../../../sending-domains/sending-domains.ts';
import { emailSenderLocalPart, refusalOfServiceName } from '../../../services/service-name.ts';
import { updateService } from '../../../services/service-update.ts';
import type { Service } from '../../../services/services.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { YesNo, yesOrNo } from '../../setting-page.tsx';
import { addServiceSetting, settingsOf, team, withPermission } from './service-setting.ts';

export function emailSettingPages(pages: Pages, app: ConsoleApp): void {
  addServiceSetting(pages, {
    path: 'email/sender-name',
    who: team,
    title: t('Sender name'),
    lead: t('The name people see when they get your email.'),
    fields: async (service, formState) => (
      <>
        <Choices
          formState={formState}
          name="use"
          legend={t('Sender name')}
          hint={t(
            'Your emails now come from {emailSenderLocalPart}@{domain}. The address is the sender name in small letters, with dots.',
            { emailSenderLocalPart: service.email_sender_local_part, domain: await domainOf(app, service) },
          )}
          kind="one"
          choices={[
            { value: 'service', label: t('The name of the service: {name}', { name: service.name }) },
            { value: 'own', label: t('Another name') },
          ]}
          chosen={[service.custom_email_sender_name === null ? 'service' : 'own']}
        />
        <Field
          formState={formState}
          name="custom_name"
          label={t('Another name')}
          value={service.custom_email_sender_name ?? undefined}
          autocomplete="off"
        />
      </>
    ),
    form: Type.Object({
      use: OneOf(['service', 'own']),
      custom_name: Type.Optional(Type.String({ maxLength: 255, format: 'name' })),
    }),
    needs: { use: t('Choose a name.') },
    async save(service, { use, custom_name = '' }) {
      if (use === 'own') {
        if (custom_name === '') throw invalidField('custom_name', t('Enter a name.'));
        refuseWrongSenderName(custom_name);
      }
      const changed = await updateService(app, service.id, {
        custom_email_sender_name: use === 'own' ? custom_name : null,
        confirmed_email_sender_name: true,
      });
      return t('Setting saved. Your emails now come from {emailSenderLocalPart}@{domain}.', {
        emailSenderLocalPart: changed.email_sender_local_part,
        domain: await domainOf(app, changed),
      });
    },
  });

  addServiceSetting(pages, {
    path: 'email/files-contact',
    who: team,
    title: t('Contact for files'),
    lead: t(
      'People who download a file that you sent by email see who to ask about it. You need a contact to send files.',
    ),
    fields: (service, formState) => (
      <Field
        formState={formState}
        name="contact"
        label={t('Web page, email address or phone number')}
        value={service.contact_link ?? undefined}
        autocomplete="off"
      />
    ),
    form: Type.Object({ contact: Type.Optional(Type.String({ maxLength: 255 })) }),
    async save(service, { contact }) {
      if (contact !== undefined) refuseWrongContact(app.country.phone, contact);
      await updateService(app, service.id, { contact_link: contact ?? null });
      return undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'email/smtp',
    who: team,
    title: t('Software that sends over SMTP'),
    lead: t('Software that can only send mail, such as Keycloak or Grafana, can send through this service.'),
    fields: ({ permissions, smtp_files }, formState) => (
      <>
        <YesNo
          formState={formState}
          legend={t('Software can send over SMTP')}
          isYes={permissions.includes(sendOverSmtp)}
          hints={{ yes: t('It signs in with an API key that can send over SMTP.') }}
        />
        <Choices
          formState={formState}
          name="files"
          legend={t('Attachments')}
          kind="one"
          choices={[
            { value: 'refuse', label: t('Refuse the email'), hint: t('The software is told that it was not sent.') },
            { value: 'drop', label: t('Remove them'), hint: t('The email lists their names.') },
            {
              value: 'link',
              label: t('Link to them'),
              hint: t('People download each file from a page. You need a contact for files.'),
            },
          ]}
          chosen={[smtp_files ?? app.config.inlet.files]}
        />
      </>
    ),
    form: Type.Object({ ...yesOrNo.form.properties, files: OneOf(['refuse', 'drop', 'link']) }),
    needs: { ...yesOrNo.needs, files: t('Choose what happens to attachments.') },
    async save(service, { value, files }) {
      const permissions = withPermission(service, sendOverSmtp, value === 'yes');
      await updateService(app, service.id, { permissions, smtp_files: files });
      return undefined;
    },
  });

  // The address in the API's refusal to send files, which the protocol fixes.
  pages.add('/services/:service_id/service-settings/send-files-by-email', {
    who: team,
    show: ({ service }) => ({ to: `${settingsOf(service)}/email/files-contact` }),
  });
}

/** Where the emails of a service come from now. */
async function domainOf(app: ConsoleApp, { id }: Pick<Service, 'id'>): Promise<string> {
  return app.senderDomains.nameFor(id, await getChosenDomains(app.db, id));
}

/** An address can have 255 characters, with the longest domain. */
const maxLocalPart = 143;
const generic = [
  'admin',
  'contact',
  'email',
  'enquiries',
  'info',
  'mail',
  'no reply',
  'no-reply',
  'noreply',
  'support',
];

function refuseWrongSenderName(name: string): void {
  const problem = problemOf(name);
  if (problem !== undefined) throw invalidField('custom_name', problem);
}

function problemOf(name: string): string | undefined {
  if (name.includes('@')) return t('Enter a name, not an email address.');
  if (/(?!\p{Script=Latin})\p{L}/u.test(name)) return t('Use Latin letters only.');
  if (generic.includes(name.toLowerCase()))
    return t('“{name}” says nothing about the sender. Use a name people know.', { name });
  if (emailSenderLocalPart(name, null).length > maxLocalPart)
    return t('Enter a shorter name. This one is too long for an email address.');
  return refusalOfServiceName(name) && t('Enter a name with a letter or a digit.');
}

/** People who get a file must be able to ask about it. */
function refuseWrongContact(phone: PhoneRules, contact: string): void {
  const isWebPage = URL.canParse(contact) && /^https?:$/.test(new URL(contact).protocol);
  if (isWebPage || parseEmailAddress(contact).ok || parsePhoneNumber(phone, contact).ok) return;
  throw invalidField(
    'contact',
    t('Enter the address of a web page with https://, an email address or a phone number.'),
  );
}
