import { Type } from 'typebox';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { t } from '../../../language/text.ts';
import { invalid } from '../../../platform/failure.ts';
import { getGuestList, listWrongGuests, replaceGuestList } from '../../../services/settings/guest-list.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { TextArea } from '../../parts/field.tsx';
import { SaveForm } from '../../parts/form.tsx';
import { integrationView } from './integration-tabs.tsx';

const maxEach = 5;
const Lines = Type.Optional(Type.String({ maxLength: 2_000 }));

export function guestListPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/integration/guest-list', {
    who: { service: 'api' },
    below: 'Integration',
    name: t('Guest list'),
    async show({ service }, formState) {
      const { email_addresses, phone_numbers } = await getGuestList(app.db, service.id);
      return integrationView(
        app,
        service,
        'guest-list',
        <>
          <p class="measure">
            {service.restricted
              ? t('In trial mode you can only send messages to your team and to these people.')
              : t('A key of the kind “Team and guest list” can only send to your team and to these people.')}
          </p>
          <SaveForm back={`/services/${service.id}/integration/keys`}>
            <TextArea
              formState={formState}
              name="email_addresses"
              label={t('Email addresses')}
              hint={t('Enter up to {maxEach}, one on each line.', { maxEach })}
              rows={maxEach}
              value={email_addresses.join('\n')}
            />
            <TextArea
              formState={formState}
              name="phone_numbers"
              label={t('Mobile numbers')}
              hint={t('Enter up to {maxEach}, one on each line.', { maxEach })}
              rows={maxEach}
              value={phone_numbers.join('\n')}
            />
          </SaveForm>
        </>,
      );
    },
    form: Type.Object({ email_addresses: Lines, phone_numbers: Lines }),
    async act({ service }, form) {
      const list = {
        email_addresses: splitLines(form.email_addresses),
        phone_numbers: splitLines(form.phone_numbers),
      };
      const problems = findProblems(app.country.phone, list);
      if (Object.keys(problems).length > 0) throw invalid(problems);
      await replaceGuestList(app, service.id, list);
      return { to: `/services/${service.id}/integration/guest-list`, notice: t('Guest list saved.') };
    },
  });
}

function splitLines(text = ''): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

const tooMany = {
  email_addresses: t('Enter up to {maxEach} email addresses.', { maxEach }),
  phone_numbers: t('Enter up to {maxEach} mobile numbers.', { maxEach }),
};

type GuestList = Parameters<typeof listWrongGuests>[1];

/** Every problem at once, by field. */
function findProblems(phone: PhoneRules, list: GuestList): Record<string, string[]> {
  const problems = new Map<string, string[]>();
  for (const { field, text } of listWrongGuests(phone, list)) {
    const problem =
      field === 'email_addresses'
        ? t('Change “{text}” to an email address.', { text })
        : t('Change “{text}” to a mobile number.', { text });
    problems.set(field, [...(problems.get(field) ?? []), problem]);
  }
  for (const field of ['email_addresses', 'phone_numbers'] as const) {
    if (list[field].length > maxEach) problems.set(field, [tooMany[field]]);
  }
  return Object.fromEntries(problems);
}
