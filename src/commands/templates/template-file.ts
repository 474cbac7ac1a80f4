import type { Country } from '../../countries/country.ts';
import { homePostage, listChoosable } from '../../countries/postage.ts';
import { type Channel, channels } from '../../protocol/channels.ts';
import { categoryNames } from '../../templates/sources/template-categories.ts';
import { refusalOfContent } from '../../templates/template-checks.ts';
import type { ProcessType } from '../../templates/template-row.ts';
import { type FrontMatter, FrontMatterError, readFrontMatter, writeFrontMatter } from './front-matter.ts';
import { readLanguages, writeLanguages } from './languages.ts';
import { type FileProblem, maxName, SettingsReader } from './settings-reader.ts';
import { type LocalTemplate, type TemplateFields, withLineFeeds } from './template.ts';

const processTypes: readonly ProcessType[] = ['normal', 'priority', 'bulk'];
const keys = new Set([
  ...['id', 'version', 'name', 'channel', 'subject', 'folder', 'postage', 'sender', 'process_type'],
  ...['category', 'has_unsubscribe_link', 'welsh_subject', 'welsh_content', 'languages', 'archived'],
]);

/** Returns the text of a file. Omits settings that have their default value. */
export function writeTemplate(fields: TemplateFields, stored?: { id: string; version: number }): string {
  const { name, channel, subject, folder, postage, sender, process_type, welsh_subject, welsh_content } = fields;
  const values = Object.entries({
    ...stored,
    name,
    channel,
    subject,
    folder: folder.length > 0 ? folder : null,
    postage,
    sender,
    process_type: process_type === 'normal' ? null : process_type,
    category: fields.category,
    has_unsubscribe_link: fields.has_unsubscribe_link || null,
    welsh_subject,
    welsh_content,
    languages: fields.languages && writeLanguages(fields.languages),
    archived: fields.archived || null,
  }).filter(([, value]) => value !== null);
  // Files end with an additional line feed, as editors write them.
  return writeFrontMatter(new Map(values), `${fields.content}\n`);
}

/** Reads a file and reports all its problems at once. */
export function readTemplate(
  { postage }: Pick<Country, 'postage'>,
  path: string,
  text: string,
): LocalTemplate | FileProblem[] {
  try {
    const matter = readFrontMatter(text);
    const reader = new SettingsReader(path, matter);
    const template = readFields(postage, path, matter, reader);
    return reader.problems.length > 0 ? reader.problems : template;
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error;
    return [{ path, line: error.line, message: error.message }];
  }
}

function readFields(
  postage: Country['postage'],
  path: string,
  { body }: FrontMatter,
  reader: SettingsReader,
): LocalTemplate {
  reader.refuseUnless(keys);
  const name = reader.text('name');
  const known = readChannel(path, reader);
  const channel = known ?? 'email';
  if (!reader.has('name')) reader.refuse('name', 'name is missing');
  else if (name?.trim() === '') reader.refuse('name', 'name is empty');
  else if (name && name.length > maxName) reader.refuse('name', `name is longer than ${maxName} characters`);
  const fields = {
    name: name ?? '',
    channel,
    subject: reader.text('subject'),
    content: withLineFeeds(body).replace(/\n$/, ''),
    folder: reader.names('folder'),
    postage: readPostage(postage, channel, reader.oneOf('postage', listChoosable(postage))),
    sender: reader.id('sender'),
    process_type: reader.oneOf('process_type', processTypes) ?? 'normal',
    category: reader.oneOf('category', categoryNames),
    has_unsubscribe_link: reader.flag('has_unsubscribe_link'),
    welsh_subject: reader.text('welsh_subject'),
    welsh_content: reader.text('welsh_content'),
    languages: readLanguages(channel, reader),
    archived: reader.flag('archived'),
  };
  if (known !== null) refuseUnlessFits(fields, reader);
  const version = reader.count('version');
  const id = reader.id('id') ?? undefined;
  if (version !== undefined && id === undefined) reader.refuse('version', 'version needs the id of the template');
  return { path, id, version, fields };
}

/** Pulled files also have the channel in their name. */
function readChannel(path: string, reader: SettingsReader): Channel | null {
  const channel = reader.oneOf('channel', channels);
  if (!reader.has('channel')) reader.refuse('channel', `channel is missing: ${channels.join(', ')}`);
  const inName = channels.find((known) => path.toLowerCase().endsWith(`.${known}.md`));
  if (channel && inName && inName !== channel) {
    reader.refuse('channel', `channel is ${channel}, but the name of the file ends in .${inName}.md`);
  }
  return channel;
}

/** A letter always has postage; texts and emails must not have any. */
function readPostage(postage: Country['postage'], channel: Channel, given: string | null): string | null {
  return channel === 'letter' || given !== null ? homePostage(postage, given) : null;
}

function refuseUnlessFits(fields: TemplateFields, reader: SettingsReader): void {
  const { channel, subject, welsh_subject, welsh_content } = fields;
  if (channel === 'sms') {
    if (reader.has('subject')) reader.refuse('subject', 'Text messages have no subject');
  } else if ((subject ?? '').trim() === '') reader.refuse('subject', 'subject is missing');
  if (channel !== 'email' && fields.has_unsubscribe_link)
    reader.refuse('has_unsubscribe_link', 'Only emails have an unsubscribe link');
  if (channel !== 'letter') {
    for (const key of ['postage', 'welsh_subject', 'welsh_content'])
      if (reader.has(key)) reader.refuse(key, `Only letters have ${key}`);
  } else if ((welsh_subject === null) !== (welsh_content === null)) {
    const [given, missing] =
      welsh_subject === null ? ['welsh_content', 'welsh_subject'] : ['welsh_subject', 'welsh_content'];
    reader.refuse(given, `${missing} is missing: a letter in Welsh needs both`);
  }
  const texts = { template_type: channel, content: fields.content, letter_welsh_content: welsh_content };
  if (refusalOfContent(texts) !== undefined) {
    reader.refuse('content', channel === 'sms' ? 'The message is too long' : 'A QR code has too much data');
  }
}
