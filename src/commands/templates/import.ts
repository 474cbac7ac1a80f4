import { readFile } from 'node:fs/promises';
import { print } from '../../platform/command-line.ts';
import { OperatorError } from '../../platform/failure.ts';
import { canonicalId, isUuid } from '../../platform/id.ts';
import { type Channel, channels } from '../../protocol/channels.ts';
import { findCategory } from '../../templates/sources/template-categories.ts';
import type { ProcessType } from '../../templates/template-row.ts';
import { readExportedLanguages } from './languages.ts';
import { count, exitCodes, fail, printable } from './report.ts';
import { mapConcurrently, type TemplateChange, type TemplateServer, withLineFeeds } from './template.ts';

/** A template as in `GET /v2/templates`, or a row of GC Notify's table `templates`. */
interface ExportedTemplate {
  id: string;
  name: string;
  type?: Channel;
  template_type?: Channel;
  body?: string;
  content?: string;
  subject?: string | null;
  service_id?: string;
  archived?: boolean;
  hidden?: boolean;
  process_type?: ProcessType | null;
  template_category_id?: string | null;
  /** All texts, or only their language tags. */
  languages?: unknown;
}

type NewTemplate = TemplateChange & { id: string; service: string | undefined };

interface ImportOptions {
  dryRun: boolean;
  /** Returns the server for a service's templates; undefined if they are not imported. */
  serverOf(service: string | undefined): TemplateServer | undefined;
}

/** Creates the templates of an export with their original ids. Checks everything first, and creates nothing if there is a problem. */
export async function importTemplates(path: string, { dryRun, serverOf }: ImportOptions): Promise<void> {
  const templates = await readExport(path);
  const services = new Map<string | undefined, NewTemplate[]>();
  for (const template of templates)
    services.set(template.service, [...(services.get(template.service) ?? []), template]);
  const counts = { created: 0, existing: 0, skipped: 0 };
  const work: { server: TemplateServer; created: NewTemplate[] }[] = [];
  let problems = 0;
  for (const [service, group] of services) {
    const server = serverOf(service);
    if (!server) {
      counts.skipped += group.length;
      continue;
    }
    const found = await mapConcurrently(group, ({ id }) => server.find(id));
    const created = group.filter((_, index) => found[index] === undefined);
    counts.existing += group.length - created.length;
    const refusals = await server.check(created);
    for (const [change, message] of refusals) print(printable(`${labelOf(change as NewTemplate)}: ${message}`));
    problems += refusals.size;
    work.push({ server, created });
  }
  if (problems > 0) return fail(exitCodes.problems, `Nothing was imported: ${count(problems, 'problem')}.`);
  for (const { server, created } of work) {
    for (const template of created) {
      if (!dryRun) await server.create(template.fields, template.id);
      print(printable(`${dryRun ? 'Would import' : 'Imported'} ${labelOf(template)}`));
      counts.created += 1;
    }
  }
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} of other services left out` : '';
  print(
    `${count(counts.created, 'template')} ${dryRun ? 'would be ' : ''}imported, ${counts.existing} there already${skipped}.`,
  );
}

const labelOf = ({ id, fields }: NewTemplate) => `"${fields.name}" (${fields.channel}, ${id})`;

async function readExport(path: string): Promise<NewTemplate[]> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new OperatorError(`${path} cannot be read.`);
  });
  let records: unknown;
  try {
    const exported: { templates?: unknown } = JSON.parse(text);
    records = exported?.templates ?? exported;
  } catch {
    throw new OperatorError(`${path} is not JSON.`);
  }
  if (!Array.isArray(records)) throw new OperatorError(`${path} must be a list of templates.`);
  // Archived and hidden templates cannot be sent, so no application needs them.
  return records.filter((record) => !record?.archived && !record?.hidden).map(readRecord);
}

function readRecord(record: ExportedTemplate, index: number): NewTemplate {
  const {
    id,
    name,
    type: channel = record?.template_type,
    body: content = record?.content,
    subject = null,
  } = record ?? {};
  const place = `Template ${index + 1}${typeof name === 'string' ? ` "${name}"` : ''}`;
  if (!isUuid(id)) throw new OperatorError(`${place} has no id.`);
  if (typeof name !== 'string' || typeof content !== 'string')
    throw new OperatorError(`${place} has no name or no text.`);
  if (channel === undefined || !channels.includes(channel)) throw new OperatorError(`${place} has no channel.`);
  const category = findCategory(record.template_category_id ?? '');
  return {
    id: canonicalId(id),
    service: isUuid(record.service_id) ? canonicalId(record.service_id) : undefined,
    before: undefined,
    names: ['name', 'content'],
    fields: {
      name,
      channel,
      subject: channel === 'sms' ? null : withLineFeeds(subject ?? ''),
      content: withLineFeeds(content),
      folder: [],
      postage: null,
      sender: null,
      process_type: record.process_type ?? category?.process_type ?? 'normal',
      category: category?.name ?? null,
      ...{ has_unsubscribe_link: false, welsh_subject: null, welsh_content: null, archived: false },
      languages: readExportedLanguages(record.languages, place),
    },
  };
}
