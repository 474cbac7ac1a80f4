import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Country } from '../../countries/country.ts';
import type { Languages } from '../../language/languages.ts';
import { systemClock } from '../../platform/clock.ts';
import { print } from '../../platform/command-line.ts';
import { OperatorError } from '../../platform/failure.ts';
import { addressRules } from '../../recipients/address-rules.ts';
import { addressLinesFromPersonalisation } from '../../recipients/postal-address.ts';
import { findUnpairedTags } from '../../rendering/markdown/language-tags.ts';
import { composeLetter, pageToPng } from '../../rendering/pdf/pdf-worker.ts';
import type { Personalisation } from '../../rendering/personalisation.ts';
import { isTooLong, maxSmsLength } from '../../rendering/sms/sms.ts';
import { type CompiledTemplate, compileTemplate, type LetterTemplate } from '../../rendering/template.ts';
import { type FixedTexts, fixedTexts } from '../../templates/languages/fixed-texts.ts';
import { conditionWordsOf } from '../../templates/template-row.ts';
import { textsOf } from './check.ts';
import { readFolder } from './folder.ts';
import { count, described, exitCodes, fail, printProblems } from './report.ts';
import type { TemplateFields } from './template.ts';

interface PreviewOptions {
  out: string;
  values: Personalisation;
  /** The prefix of text messages, if the service prefixes them with its name. Shown above emails. */
  serviceName: string | undefined;
  /** The dialect of the service. Undefined if warnings were not requested. */
  dialect: 'gc' | 'govuk' | undefined;
}

interface Place {
  country: Country;
  languages: Languages;
}

type File = [ending: string, content: string | Uint8Array];

/** Renders files as the server would send them, without a server. Placeholders without a value are kept. */
export async function preview(place: Place, root: string, options: PreviewOptions): Promise<void> {
  const { country, languages } = place;
  const { templates, problems } = await readFolder(country, root);
  for (const template of templates) {
    for (const { mark, language, fields } of textsOf(country, template.fields)) {
      const compiled = compile(country, fields, options, language, fixedTexts(languages, messageOf(fields), language));
      const { files, summary } = await render(country, compiled, fields, options);
      const path = join(options.out, template.path.slice(0, -3) + (mark === '' ? '' : `.${language}`));
      for (const [ending, content] of files) await write(path + ending, content);
      const missing = compiled.missing(options.values);
      const lacks = missing.length > 0 ? `; no value for ${missing.join(', ')}` : '';
      print(`${described(template, undefined)}${mark}: ${summary}${lacks}`);
      for (const warning of warningsAbout(compiled, fields, options)) print(`  warning: ${warning}`);
    }
  }
  if (problems.length === 0) return;
  printProblems(problems);
  fail(exitCodes.problems, `${count(problems.length, 'problem')} in files.`);
}

export async function readValues(path: string | undefined): Promise<Personalisation> {
  if (path === undefined) return {};
  try {
    const values: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof values === 'object' && values !== null && !Array.isArray(values)) return values as Personalisation;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new OperatorError(`${path} must be a JSON object such as {"name": "Ada"}.`);
}

const messageOf = ({ channel, has_unsubscribe_link }: TemplateFields) => ({
  ...{ template_type: channel, has_unsubscribe_link },
});

async function write(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

function compile(
  country: Country,
  { channel, subject, content, welsh_subject, welsh_content }: TemplateFields,
  { dialect }: PreviewOptions,
  language: string | undefined,
  fixed: FixedTexts,
): CompiledTemplate {
  const welsh =
    welsh_content === null ? {} : { letter_welsh_subject: welsh_subject, letter_welsh_content: welsh_content };
  return compileTemplate({
    ...{ template_type: channel, subject, content, ...welsh, ...fixed, alphabet: country.sms.alphabet },
    ...conditionWordsOf(
      country,
      [subject, content, welsh_content],
      language === undefined ? null : { default: language, variants: [] },
    ),
    ...(dialect ? { dialect } : {}),
    ...(language === undefined ? {} : { language }),
  });
}

async function render(
  country: Country,
  compiled: CompiledTemplate,
  fields: TemplateFields,
  options: PreviewOptions,
): Promise<{ files: File[]; summary: string }> {
  const { values, serviceName } = options;
  switch (compiled.template_type) {
    case 'sms': {
      // Without any value, placeholders would be dropped. No placeholder can have this name.
      const some = { '(': '', ...values };
      const { text, character_count, encoding, fragments } = compiled.render(some, { prefix: serviceName ?? null });
      const figures = { character_count, encoding, fragments };
      return {
        files: [
          ['.txt', `${text}\n`],
          ['.json', `${JSON.stringify({ text, ...figures }, null, 2)}\n`],
        ],
        summary: `${count(character_count, 'character')}, ${count(fragments, 'part')}`,
      };
    }
    case 'email': {
      const unsubscribe_link = fields.has_unsubscribe_link ? 'https://example.org/unsubscribe' : null;
      const platform = { name: serviceName ?? 'Pennypost' };
      const { subject, text, html } = compiled.message(values, { brand: null, platform, unsubscribe_link });
      return {
        files: [
          ['.html', html],
          ['.txt', `Subject: ${subject}\n\n${text}`],
        ],
        summary: subject,
      };
    }
    case 'letter':
      return renderLetter(country, compiled, values);
  }
}

async function renderLetter(country: Country, compiled: LetterTemplate, values: Personalisation) {
  const rules = addressRules(country);
  const { lines } = rules.parse(addressLinesFromPersonalisation(values));
  const document = compiled.document(values, {
    day: country.calendar.day(systemClock.now()),
    address: rules.isWhole(lines) ? lines : undefined,
    capitals: country.address.capitals,
  });
  const { pdf, page_count } = await composeLetter(document, { purpose: 'preview', geometry: country.letter.geometry });
  const files: File[] = [['.pdf', pdf]];
  for (let page = 1; page <= page_count; page++) files.push([`.page-${page}.png`, await pageToPng(pdf, page)]);
  return { files, summary: count(page_count, 'page') };
}

const emphasis = /\*\*[^\s*][^*]*\*\*|(?<![\w*])[*_][^\s*_][^*_]*[*_](?![\w*])/;

/** Returns what recipients would see differently than with GC Notify. */
function warningsAbout(compiled: CompiledTemplate, fields: TemplateFields, options: PreviewOptions): string[] {
  const { dialect, values, serviceName } = options;
  if (dialect === undefined) return [];
  const { channel, content } = fields;
  const warnings: string[] = [];
  if (channel === 'email' && findUnpairedTags(content).length > 0) {
    warnings.push('language tags that are not closed, or not in order, stay visible');
  }
  if (channel === 'email' && dialect !== 'gc' && emphasis.test(content)) {
    warnings.push('bold and italic appear with their asterisks and underscores: set the dialect of the service to gc');
  }
  if (compiled.template_type === 'sms' && dialect === 'gc') {
    const message = compiled.render({ '(': '', ...values }, { prefix: serviceName ?? null });
    if (isTooLong(message, dialect)) {
      warnings.push(`${message.character_count} characters, and at most ${maxSmsLength(dialect)} can be sent`);
    }
  }
  for (const name of compiled.placeholders.filter((placeholder) => isAttachment(values[placeholder]))) {
    warnings.push(`((${name})) stays empty, because its file is attached`);
  }
  return warnings;
}

function isAttachment(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'sending_method' in value && value.sending_method === 'attach';
}
