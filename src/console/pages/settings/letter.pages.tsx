import { invalidField } from '../../../platform/failure.ts';
import {
  archiveLetterContact,
  createLetterContact,
  getLetterContact,
  listLetterContacts,
  updateLetterContact,
} from '../../../services/senders/senders.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { TextArea } from '../../parts/field.tsx';
import { addSenderPages } from './sender-pages.tsx';

const maxLines = 10;

export function letterSettingPages(pages: Pages, app: ConsoleApp): void {
  addSenderPages(pages, {
    path: 'letter/contacts',
    param: 'letter_contact_id',
    title: 'Sender addresses',
    lead: 'The block with your address at the right of a letter. Letters have none unless you choose a default.',
    one: 'sender address',
    none: { title: 'No sender addresses yet', text: 'Add an address to print it on your letters.' },
    list: (serviceId) => listLetterContacts(app.db, serviceId),
    get: (serviceId, id) => getLetterContact(app.db, serviceId, id),
    valueOf: ({ contact_block }) => contact_block,
    field: (formState, value) => (
      <TextArea
        formState={formState}
        name="value"
        label="Sender address"
        hint={`At most ${maxLines} lines.`}
        rows={maxLines}
        value={value}
      />
    ),
    check(value) {
      if (value.split('\n').length > maxLines) throw invalidField('value', `Enter at most ${maxLines} lines.`);
    },
    async create({ service }, { value, is_default }) {
      await createLetterContact(app, service.id, { contact_block: withLines(value), is_default });
      return undefined;
    },
    update: (serviceId, id, { value, is_default }) =>
      updateLetterContact(app, serviceId, id, { contact_block: withLines(value), is_default }),
    archive: (serviceId, id) => archiveLetterContact(app, serviceId, id),
  });
}

/** Browsers send CRLF. */
function withLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
