import type { Country } from '../../countries/country.ts';
import { print } from '../../platform/command-line.ts';
import { findHints } from '../../rendering/hints/hints.ts';
import { readFolder } from './folder.ts';
import { count, described, exitCodes, fail, printable, printProblems } from './report.ts';
import type { TemplateFields } from './template.ts';

interface CheckOptions {
  /** Whether hints count as errors. */
  strict: boolean;
  /** The prefix of text messages, if the service prefixes them with its name. */
  serviceName: string | undefined;
  dialect: 'gc' | 'govuk' | undefined;
}

/** Prints advice on the texts of files, like the editor of the console, but without a server. */
export async function check(country: Country, root: string, options: CheckOptions): Promise<void> {
  const { templates, problems } = await readFolder(country, root);
  let hintCount = 0;
  for (const template of templates) {
    for (const { mark, english, fields } of textsOf(country, template.fields)) {
      const hints = hintsOf(country, { ...fields, english }, options);
      hintCount += hints.length;
      const place = `${described(template, undefined)}${mark}`;
      for (const { message, rule } of hints) print(printable(`${place}: ${message} (${rule})`));
    }
  }
  printProblems(problems);
  if (problems.length > 0) return fail(exitCodes.problems, `${count(problems.length, 'problem')} in files.`);
  const summary = `${count(hintCount, 'hint')} in ${count(templates.length, 'template')}.`;
  if (options.strict && hintCount > 0) return fail(exitCodes.failed, summary);
  print(summary);
}

/** Returns a template, and each of its texts in other languages as a template. */
export function textsOf({ locale }: Country, fields: TemplateFields) {
  const { default: own = locale, variants = [] } = fields.languages ?? {};
  return [
    { mark: '', language: fields.languages?.default, english: own.startsWith('en'), fields },
    ...variants.map(({ language, ...text }) => ({
      ...{ mark: ` (${language})`, language, english: language.startsWith('en'), fields: { ...fields, ...text } },
    })),
  ];
}

/** The sender is not known here, so there are no hints about it. */
function hintsOf(
  country: Country,
  text: TemplateFields & { english: boolean },
  { serviceName, dialect }: CheckOptions,
) {
  const { channel, subject, content, english, process_type, has_unsubscribe_link } = text;
  return findHints({
    channel,
    subject,
    content,
    english,
    sent_to_many: process_type === 'bulk',
    has_unsubscribe_link,
    alphabet: country.sms.alphabet,
    ...(serviceName === undefined ? {} : { service: { name: serviceName, prefix: true, sender: null } }),
    ...(dialect === undefined ? {} : { dialect }),
  });
}
