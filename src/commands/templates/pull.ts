import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Country } from '../../countries/country.ts';
import { print } from '../../platform/command-line.ts';
import { deleteTemplateFile, readFolder, recordVersion, writeTemplateFile } from './folder.ts';
import { count, described, exitCodes, fail, printProblems } from './report.ts';
import {
  differingFields,
  type FieldName,
  type LocalTemplate,
  type ServerTemplate,
  type TemplateServer,
} from './template.ts';

interface PullOptions {
  /** Overwrite files that have local changes. */
  force: boolean;
  /** Delete files of templates that are no longer on the server. */
  prune: boolean;
}

export async function pull(
  country: Country,
  root: string,
  server: TemplateServer,
  { force, prune }: PullOptions,
): Promise<void> {
  await mkdir(root, { recursive: true });
  const { templates, problems, paths } = await readFolder(country, root);
  if (problems.length > 0) {
    printProblems(problems);
    return fail(exitCodes.problems, 'Nothing was pulled: correct or delete these files.');
  }
  const listed = await server.list();
  const names = new FileNames(paths);
  const counts = { written: 0, unchanged: 0, kept: 0 };
  for (const stored of listed) {
    const result = await pullOne(root, server, stored, { local: fileOf(templates, stored), names, force });
    counts[result] += 1;
  }
  const listedIds = new Set(listed.map(({ id }) => id));
  const gone = templates.filter(({ id, fields }) => id !== undefined && !listedIds.has(id) && !fields.archived);
  for (const template of gone) await removeOrReport(root, server, template, prune);
  print(`${count(counts.written, 'file')} written, ${counts.unchanged} unchanged.`);
  if (counts.kept > 0) {
    fail(exitCodes.conflicts, `${count(counts.kept, 'file')} kept: push first, or use --force to overwrite.`);
  }
}

/** Returns the file with this id, or a new file named after the template. */
function fileOf(templates: LocalTemplate[], { id, fields }: ServerTemplate): LocalTemplate | undefined {
  const isNew = (local: LocalTemplate) =>
    local.id === undefined && local.fields.name === fields.name && local.fields.channel === fields.channel;
  return templates.find((local) => local.id === id) ?? templates.find(isNew);
}

async function pullOne(
  root: string,
  server: TemplateServer,
  stored: ServerTemplate,
  { local, names, force }: { local: LocalTemplate | undefined; names: FileNames; force: boolean },
): Promise<'written' | 'unchanged' | 'kept'> {
  if (!local) {
    const path = names.take(stored);
    await writeTemplateFile(root, path, stored);
    print(`Wrote ${described({ ...stored, path }, undefined)}`);
    return 'written';
  }
  const differing = differingFields(local.fields, stored.fields);
  if (differing.length === 0) {
    if (local.id !== stored.id || local.version !== stored.version) await recordVersion(root, local.path, stored);
    return 'unchanged';
  }
  if (!force && (await hasOwnChanges(server, local, stored, differing))) {
    print(`Kept ${described(local, undefined)}: it has changes that were not pushed`);
    return 'kept';
  }
  await writeTemplateFile(root, local.path, stored);
  print(`Wrote ${described(local, undefined)}`);
  return 'written';
}

/**
 * Whether a file differs from the version that it was pulled as. Versions have no folder, so the server's folder wins. API keys cannot read
 * a version's texts in other languages, so differences there count as local changes.
 */
async function hasOwnChanges(
  server: TemplateServer,
  { id, version, fields }: LocalTemplate,
  stored: ServerTemplate,
  differing: FieldName[],
): Promise<boolean> {
  if (differing.every((name) => name === 'folder')) return false;
  if (id === undefined || version === undefined || version === stored.version) return true;
  const pulled = await server.findVersion(id, version);
  if (!pulled || (differing.includes('languages') && pulled.languages === undefined)) return true;
  return differingFields(fields, { ...fields, ...pulled }).length > 0;
}

/** Never deletes files of another service: a wrong key must not empty the folder. */
async function removeOrReport(root: string, server: TemplateServer, template: LocalTemplate, prune: boolean) {
  const name = described(template, undefined);
  const isOfService = (await server.find(template.id ?? '')) !== undefined;
  if (!isOfService) return print(`The service has no template ${template.id}: ${name} stays`);
  if (!prune) return print(`The server no longer has ${name}: --prune deletes the file`);
  await deleteTemplateFile(root, template.path);
  print(`Deleted ${name}`);
}

/** File systems allow 255 bytes, including the extension. */
const maxBytes = 120;
/** Windows reserves these names for devices, with any extension. */
const reserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/;

/** Chooses paths for templates without a file. Names come from the server, so they are made safe: no path leaves the folder. */
class FileNames {
  /** Normalised paths, because some disks ignore case and the encoding of accents. */
  private readonly taken: Set<string>;

  constructor(paths: Iterable<string>) {
    this.taken = new Set([...paths].map(comparable));
  }

  take({ id, fields: { name, channel, folder } }: ServerTemplate): string {
    const path = join(...folder.map((part) => safeName(part, 'folder')), safeName(name, 'template'));
    const paths = ['', `-${id.slice(0, 8)}`, `-${id}`].map((ending) => `${path}${ending}.${channel}.md`);
    const free = paths.find((candidate) => !this.taken.has(comparable(candidate)));
    if (free === undefined) throw new Error(`No file name is free for template ${id}`);
    this.taken.add(comparable(free));
    return free;
  }
}

function comparable(path: string): string {
  return path.replaceAll('\\', '/').normalize('NFKC').toLowerCase();
}

/** Keeps letters and digits of any script, and hyphens: no separators, no dots, no special characters. */
function safeName(name: string, empty: string): string {
  const words = name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  let short = '';
  for (const character of words) {
    if (Buffer.byteLength(short + character) > maxBytes) break;
    short += character;
  }
  const safe = short.replaceAll(/^-+|-+$/g, '');
  if (safe === '') return empty;
  return reserved.test(safe) ? `${safe}-${empty}` : safe;
}
