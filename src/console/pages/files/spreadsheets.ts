import { exampleOfYes } from '../../../countries/answers/answers.ts';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { languageColumnsOf, placeholdersOf, timeZoneColumnsOf } from '../../../jobs/uploads/file-texts.ts';
import { formatted, isText, type Text } from '../../../language/text.ts';
import type { SendingService } from '../../../notifications/sending/sending-service.ts';
import { Failure, invalidField } from '../../../platform/failure.ts';
import { csvLineAsUploaded } from '../../../platform/http/csv.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { comparableKey } from '../../../protocol/comparable-key.ts';
import { headingIn } from '../../../recipients/spreadsheet/headings.ts';
import type { ReadyTemplate } from '../../../templates/compiled-templates.ts';
import { languagesInUse } from '../../../templates/languages/languages.ts';
import type { Viewer } from '../../viewer.ts';
import { isRecipientPlaceholder } from '../send/send-form.ts';

/** The API takes larger text files. */
export const maxSpreadsheetBytes = 10 * 1024 * 1024;
export const acceptedSpreadsheets = '.csv,.tsv,.xlsx,.xlsm,.ods';

/** Shows beside the field `file` what is wrong with a file, and that too many are received at once. */
export async function refuseInFileField<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isAboutFile = error instanceof Failure && ['invalid', 'too-large', 'too-many'].includes(error.kind);
    if (!isAboutFile || !isText(error.localised)) throw error;
    throw invalidField('file', asSentence(error.localised));
  }
}

/** The API ends some of its sentences without a full stop. */
function asSentence(text: string): Text {
  return formatted(() => (String(text).endsWith('.') ? String(text) : `${text}.`));
}

/** A download about a file: "problems of friends.csv", whatever the ending of the file was. */
export function nameOfDownload(
  what: 'problems' | 'duplicates',
  { original_file_name }: { original_file_name: string },
): string {
  return `${what} of ${original_file_name.replace(/\.[^.]*$/, '')}.csv`;
}

const recipientColumns = ({ profile }: PhoneRules): Record<Channel, [column: string, example: string][]> => ({
  sms: [['phone number', profile.examples[1]]],
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
});

/**
 * The columns that a file needs, with an example: the recipient, in words of the language, then the placeholders of the template. One
 * with several texts has those of all, and the column that chooses between them. Where messages may wait, there is one for time zones.
 */
export function neededColumns(
  { country, language }: Pick<Viewer, 'country' | 'language'>,
  { row, compiled }: ReadyTemplate,
  service: SendingService,
): { column: string; example: string }[] {
  const { phone, calendar } = country;
  const { every, some } = placeholdersOf(row);
  const fields = [...every, ...some].filter((name) => !isRecipientPlaceholder({ row }, name));
  const [choosing] = languageColumnsOf(row);
  const isField = (name: string) => choosing !== undefined && comparableKey(name) === comparableKey(choosing);
  const isCondition = (name: string) => compiled.conditions.some((one) => comparableKey(one) === comparableKey(name));
  const languages = languagesInUse(row);
  const example = languages?.variants[0]?.language ?? '';
  return [
    ...recipientColumns(phone)[row.template_type].map(([column, of]) => ({
      ...{ column: headingIn(language.tag, column, fields), example: of },
    })),
    ...fields.map((column) => ({
      column,
      example: isField(column) ? example : isCondition(column) ? exampleOfYes(country) : 'example',
    })),
    ...(choosing === undefined || fields.some(isField) ? [] : [{ column: choosing, example }]),
    ...timeZoneColumnsOf(service, row).map((column) => ({ column, example: calendar.zone })),
  ];
}

export async function* exampleFile(
  viewer: Viewer,
  template: ReadyTemplate,
  service: SendingService,
): AsyncGenerator<string> {
  const columns = neededColumns(viewer, template, service);
  yield csvLineAsUploaded(columns.map(({ column }) => column));
  yield csvLineAsUploaded(columns.map(({ example }) => example));
}
