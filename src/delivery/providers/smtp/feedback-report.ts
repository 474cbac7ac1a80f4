import { fieldBlocks } from './delivery-status.ts';

/** As Amazon SES reports them. */
const complaintTypes = ['abuse', 'auth-failure', 'fraud', 'not-spam', 'other', 'virus'];

/** The kind of complaint in a feedback report (RFC 5965). */
export function complaintTypeIn(text: string): string {
  const type = fieldBlocks(text)
    .map((fields) => fields.get('feedback-type')?.toLowerCase())
    .find((value) => value !== undefined);
  return type !== undefined && complaintTypes.includes(type) ? type : 'other';
}
