import { londonTime } from '../../platform/calendar.ts';
import type { ReturnedLetter } from './returned-letters.ts';

/** As in API responses. The template of an uploaded letter is hidden, so it is omitted. */
export function returnedLetterRecord(letter: ReturnedLetter) {
  const template = letter.precompiled
    ? { template_name: null, template_id: null, template_version: null }
    : {
        template_name: letter.template_name,
        template_id: letter.template_id,
        template_version: letter.template_version,
      };
  return {
    notification_id: letter.shown_id,
    client_reference: letter.api_key_id ? letter.client_reference : null,
    reported_at: letter.reported_on,
    created_at: londonTime(new Date(letter.letter_created_at)),
    ...template,
    user_name: letter.user_name ?? 'API',
    email_address: letter.email_address ?? 'API',
    original_file_name: letter.original_file_name,
    job_row_number: letter.spreadsheet_row_number,
    uploaded_letter_file_name: letter.precompiled && !letter.api_key_id ? letter.client_reference : null,
  };
}
