import type { Country } from '../../countries/country.ts';
import { homePostage, listChoosable } from '../../countries/postage.ts';
import { canonicalId, isUuid } from '../../platform/id.ts';
import { type Channel, channels } from '../../protocol/channels.ts';
import { categoryNames } from '../../templates/sources/template-categories.ts';
import { refusalOfContent } from '../../templates/template-checks.ts';
import type { ProcessType } from '../../templates/template-row.ts';
import { type FrontMatter, FrontMatterError, readFrontMatter, writeFrontMatter } from './front-matter.ts';
import { type LocalTemplate, type TemplateFields, withLineFeeds } from './template.ts';

/** What is wrong with a file. */
export interface FileProblem {
  path: string;
  line: number;
  message: string;
}

const processTypes: readonly ProcessType[] = ['normal', 'priority', 'bulk'];
const keys = new Set([
  ...['id', 'version', 'name', 'channel', 'subject', 'folder', 'postage', 'sender', 'process_type'],
  ...['category', 'has_unsubscribe_link', 'welsh_subject', 'welsh_content', 'archived'],
]);
/** The length of the server's column. */
const maxName = 255;

/** The text of a file. Settings with their default value are left out. */
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
    archived: fields.archived || null,
  }).filter(([, value]) => value !== null);
  // One line feed more, as editors write it.
  return writeFrontMatter(new Map(values), `${fields.content}\n`);
}

/** Reports all problems of a file at once. */
export function readTemplate(
  { postage }: Pick<Country, 'postage'>,
  path: string,
  text: string,
): LocalTemplate | FileProblem[] {
  try {
    const matter = readFrontMatter(text);
    const reader = new Reader(path, matter);
    const template = readFields(postage, path, matter, reader);
    return reader.problems.length > 0 ? reader.problems : template;
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error;
    return [{ path, line: error.line, message: error.message }];
  }
}

/** Reads values of the settings, and collects what is wrong with them. */
class Reader {
  readonly problems: FileProblem[] = [];
  private readonly path: string;
  private readonly matter: FrontMatter;

  constructor(path: string, matter: FrontMatter) {
    this.path = path;
    this.matter = matter;
  }

  refuse(key: string, message: string): void {
    this.problems.push({ path: this.path, line: this.matter.lines.get(key) ?? 1, message });
  }

  has(key: string): boolean {
    return (this.matter.values.get(key) ?? null) !== null;
  }

  text(key: string): string | null {
    const value = this.matter.values.get(key) ?? null;
    if (value === null) return null;
    if (typeof value === 'string') return withLineFeeds(value);
    this.refuse(key, `${key} must be text: put it in quotation marks`);
    return null;
  }

  oneOf<Value extends string>(key: string, known: readonly Value[]): Value | null {
    const text = this.text(key);
    const found = known.find((value) => value === text);
    if (text !== null && found === undefined) this.refuse(key, `${key} must be one of ${known.join(', ')}`);
    return found ?? null;
  }

  id(key: string): string | null {
    const text = this.text(key);
    if (text === null) return null;
    if (isUuid(text)) return canonicalId(text);
    this.refuse(key, `${key} is not a valid UUID`);
    return null;
  }

  flag(key: string): boolean {
    const value = this.matter.values.get(key) ?? false;
    if (typeof value !== 'boolean') this.refuse(key, `${key} must be true or false`);
    return value === true;
  }

  names(key: string): string[] {
    const value = this.matter.values.get(key) ?? [];
    const names = [value].flat();
    if (names.every((name) => typeof name === 'string' && name.trim() !== '' && name.length <= maxName)) {
      return names.map((name) => String(name).trim());
    }
    this.refuse(key, `${key} must be a name, or a list of names from the outermost folder to the innermost`);
    return [];
  }

  count(key: string): number | undefined {
    const value = this.matter.values.get(key) ?? undefined;
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) return value as number | undefined;
    this.refuse(key, `${key} must be a whole number from 1`);
    return undefined;
  }
}

function readFields(
  postage: Country['postage'],
  path: string,
  { values, body }: FrontMatter,
  reader: Reader,
): LocalTemplate {
  for (const key of values.keys()) if (!keys.has(key)) reader.refuse(key, `Unknown setting ${key}`);
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
    archived: reader.flag('archived'),
  };
  if (known !== null) refuseUnlessFits(fields, reader);
  const version = reader.count('version');
  const id = reader.id('id') ?? undefined;
  if (version !== undefined && id === undefined) reader.refuse('version', 'version needs the id of the template');
  return { path, id, version, fields };
}

/** Pulled files have the channel in their name, too. */
function readChannel(path: string, reader: Reader): Channel | null {
  const channel = reader.oneOf('channel', channels);
  if (!reader.has('channel')) reader.refuse('channel', `channel is missing: ${channels.join(', ')}`);
  const inName = channels.find((known) => path.toLowerCase().endsWith(`.${known}.md`));
  if (channel && inName && inName !== channel) {
    reader.refuse('channel', `channel is ${channel}, but the name of the file ends in .${inName}.md`);
  }
  return channel;
}

/** A letter always has one; a text or an email with one is refused. */
function readPostage(postage: Country['postage'], channel: Channel, given: string | null): string | null {
  return channel === 'letter' || given !== null ? homePostage(postage, given) : null;
}

function refuseUnlessFits(fields: TemplateFields, reader: Reader): void {
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
