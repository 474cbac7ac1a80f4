import { Type } from 'typebox';
import { invalidField } from '../../../platform/failure.ts';
import { findWrongGuest, getGuestList, replaceGuestList } from '../../../services/settings/guest-list.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { checkAll } from '../../forms.ts';
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
    name: 'Guest list',
    async show({ service }, formState) {
      const { email_addresses, phone_numbers } = await getGuestList(app, service.id);
      return integrationView(
        app,
        service,
        'guest-list',
        <>
          <p class="measure">
            {service.restricted
              ? 'In trial mode messages go to your team and to these people only.'
              : 'Keys of the kind “Team and guest list” send to your team and to these people only.'}
          </p>
          <SaveForm back={`/services/${service.id}/integration/keys`}>
            <TextArea
              formState={formState}
              name="email_addresses"
              label="Email addresses"
              hint={`At most ${maxEach}, one on each line.`}
              rows={maxEach}
              value={email_addresses.join('\n')}
            />
            <TextArea
              formState={formState}
              name="phone_numbers"
              label="Mobile numbers"
              hint={`At most ${maxEach}, one on each line.`}
              rows={maxEach}
              value={phone_numbers.join('\n')}
            />
          </SaveForm>
        </>,
      );
    },
    form: Type.Object({ email_addresses: Lines, phone_numbers: Lines }),
    async act({ service }, form) {
      const [email_addresses, phone_numbers] = await checkAll(
        () => readGuests('email_addresses', form.email_addresses),
        () => readGuests('phone_numbers', form.phone_numbers),
      );
      await replaceGuestList(app, service.id, { email_addresses, phone_numbers });
      return { to: `/services/${service.id}/integration/guest-list`, notice: 'The guest list is saved.' };
    },
  });
}

const kinds = { email_addresses: 'email address', phone_numbers: 'mobile number' };

function readGuests(field: keyof typeof kinds, text = ''): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length > maxEach) throw invalidField(field, `Enter at most ${maxEach}, one on each line.`);
  const wrong = findWrongGuest({ email_addresses: [], phone_numbers: [], [field]: lines });
  if (wrong) throw invalidField(field, `“${wrong.text}” is not a valid ${kinds[field]}.`);
  return lines;
}
