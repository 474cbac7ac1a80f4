import { csvLineAsUploaded } from '../../../platform/http/csv.ts';
import type { Channel } from '../../../protocol/channels.ts';
import type { ReadyTemplate } from '../../../templates/compiled-templates.ts';
import { fieldsOf } from '../send/sendable-templates.ts';

const recipients: Record<Channel, [column: string, example: string][]> = {
  sms: [['phone number', '07700 900321']],
  email: [['email address', 'test@example.com']],
  letter: [
    ['address line 1', 'A. Name'],
    ['address line 2', '123 Example Street'],
    ['address line 3', 'XM4 5HQ'],
    ['address line 4', ''],
    ['address line 5', ''],
    ['address line 6', ''],
    ['address line 7', ''],
  ],
};

/** The columns that a file needs, with an example: the recipient, then the placeholders of the template. */
export function neededColumns(template: ReadyTemplate): { column: string; example: string }[] {
  return [
    ...recipients[template.row.template_type].map(([column, example]) => ({ column, example })),
    ...fieldsOf(template).map((column) => ({ column, example: 'example' })),
  ];
}

export async function* exampleFile(template: ReadyTemplate): AsyncGenerator<string> {
  const columns = neededColumns(template);
  yield csvLineAsUploaded(columns.map(({ column }) => column));
  yield csvLineAsUploaded(columns.map(({ example }) => example));
}
