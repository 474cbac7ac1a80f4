import { t } from '../../../language/text.ts';
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
    title: t('Sender addresses'),
    lead: t('The block with your address at the right of a letter. Letters have none unless you choose a default.'),
    texts: {
      add: t('Add a sender address'),
      added: t('Sender address added.'),
      change: t('Change the sender address'),
      saved: t('Sender address saved.'),
      archive: t('Archive the sender address'),
      archived: t('Sender address archived.'),
      enter: t('Enter the sender address.'),
    },
    none: { title: t('No sender addresses yet'), text: t('Add an address to print it on your letters.') },
    list: (serviceId) => listLetterContacts(app.db, serviceId),
    get: (serviceId, id) => getLetterContact(app.db, serviceId, id),
    valueOf: ({ contact_block }) => contact_block,
    field: (formState, value) => (
      <TextArea
        formState={formState}
        name="value"
        label={t('Sender address')}
        hint={t('At most {maxLines} lines.', { maxLines })}
        rows={maxLines}
        value={value}
      />
    ),
    check(value) {
      if (value.split('\n').length > maxLines)
        throw invalidField('value', t('Enter at most {maxLines} lines.', { maxLines }));
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
