import { Type } from 'typebox';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { invalidField } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { parseEmailAddress } from '../../../recipients/email-address.ts';
import { parsePhoneNumber } from '../../../recipients/phone-number.ts';
import { emailSenderLocalPart, refusalOfServiceName } from '../../../services/service-name.ts';
import { updateService } from '../../../services/service-update.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { addServiceSetting, settingsOf, team } from './service-setting.ts';

export function emailSettingPages(pages: Pages, app: ConsoleApp): void {
  addServiceSetting(pages, {
    path: 'email/sender-name',
    who: team,
    title: 'Sender name',
    lead: 'The name people see when they get your email.',
    fields: (service, formState) => (
      <>
        <Choices
          formState={formState}
          name="use"
          legend="Sender name"
          hint={`Your emails now come from ${service.email_sender_local_part}@${app.config.email.domain}. The address is the sender name in small letters, with dots.`}
          kind="one"
          choices={[
            { value: 'service', label: `The name of the service: ${service.name}` },
            { value: 'own', label: 'Another name' },
          ]}
          chosen={[service.custom_email_sender_name === null ? 'service' : 'own']}
        />
        <Field
          formState={formState}
          name="custom_name"
          label="Another name"
          value={service.custom_email_sender_name ?? undefined}
          autocomplete="off"
        />
      </>
    ),
    form: Type.Object({
      use: OneOf(['service', 'own']),
      custom_name: Type.Optional(Type.String({ maxLength: 255 })),
    }),
    needs: { use: 'Choose a name.' },
    async save(service, { use, custom_name = '' }) {
      if (use === 'own') {
        if (custom_name === '') throw invalidField('custom_name', 'Enter a name.');
        refuseWrongSenderName(custom_name);
      }
      const changed = await updateService(app, service.id, {
        custom_email_sender_name: use === 'own' ? custom_name : null,
        confirmed_email_sender_name: true,
      });
      return `Setting saved. Your emails now come from ${changed.email_sender_local_part}@${app.config.email.domain}.`;
    },
  });

  addServiceSetting(pages, {
    path: 'email/files-contact',
    who: team,
    title: 'Contact for files',
    lead: 'People who download a file that you sent by email see who to ask about it. You need a contact to send files.',
    fields: (service, formState) => (
      <Field
        formState={formState}
        name="contact"
        label="Web page, email address or phone number"
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

  // The address in the API's refusal to send files, which the protocol fixes.
  pages.add('/services/:service_id/service-settings/send-files-by-email', {
    who: team,
    show: ({ service }) => ({ to: `${settingsOf(service)}/email/files-contact` }),
  });
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
  if (name.includes('@')) return 'Enter a name, not an email address.';
  if (/(?!\p{Script=Latin})\p{L}/u.test(name)) return 'Use Latin letters only.';
  if (generic.includes(name.toLowerCase())) return `“${name}” says nothing about the sender. Use a name people know.`;
  if (emailSenderLocalPart(name, null).length > maxLocalPart)
    return 'Enter a shorter name. This one is too long for an email address.';
  return refusalOfServiceName(name) && 'Enter a name with a letter or a digit.';
}

/** People who get a file must be able to ask about it. */
function refuseWrongContact(phone: PhoneRules, contact: string): void {
  const isWebPage = URL.canParse(contact) && /^https?:$/.test(new URL(contact).protocol);
  if (isWebPage || parseEmailAddress(contact).ok || parsePhoneNumber(phone, contact).ok) return;
  throw invalidField('contact', 'Enter the address of a web page with https://, an email address or a phone number.');
}
