import type { Country } from '../../countries/country.ts';
import { print } from '../../platform/command-line.ts';
import { findHints } from '../../rendering/hints/hints.ts';
import { readFolder } from './folder.ts';
import { count, described, exitCodes, fail, printable, printProblems } from './report.ts';
import type { TemplateFields } from './template.ts';

interface CheckOptions {
  /** Hints are errors, too. */
  strict: boolean;
  /** What text messages begin with, if the service puts its name there. */
  serviceName: string | undefined;
  dialect: 'gc' | 'govuk' | undefined;
}

/** Prints advice on the texts of files, as the editor of the console gives it, without a server. */
export async function check(country: Country, root: string, options: CheckOptions): Promise<void> {
  const { templates, problems } = await readFolder(country, root);
  let hintCount = 0;
  for (const template of templates) {
    const hints = hintsOf(country, template.fields, options);
    hintCount += hints.length;
    for (const { message, rule } of hints) print(printable(`${described(template, undefined)}: ${message} (${rule})`));
  }
  printProblems(problems);
  if (problems.length > 0) return fail(exitCodes.problems, `${count(problems.length, 'problem')} in files.`);
  const summary = `${count(hintCount, 'hint')} in ${count(templates.length, 'template')}.`;
  if (options.strict && hintCount > 0) return fail(exitCodes.failed, summary);
  print(summary);
}

/** The sender is not known here, so nothing is said about it. */
function hintsOf(country: Country, fields: TemplateFields, { serviceName, dialect }: CheckOptions) {
  const { channel, subject, content, process_type, has_unsubscribe_link } = fields;
  return findHints({
    channel,
    subject,
    content,
    english: country.locale.startsWith('en'),
    sent_to_many: process_type === 'bulk',
    has_unsubscribe_link,
    alphabet: country.sms.alphabet,
    ...(serviceName === undefined ? {} : { service: { name: serviceName, prefix: true, sender: null } }),
    ...(dialect === undefined ? {} : { dialect }),
  });
}
