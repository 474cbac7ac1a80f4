import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { Country } from '../../countries/country.ts';
import { OperatorError } from '../../platform/failure.ts';
import { changeFrontMatter } from './front-matter.ts';
import type { FileProblem } from './settings-reader.ts';
import type { LocalTemplate, ServerTemplate } from './template.ts';
import { readTemplate, writeTemplate } from './template-file.ts';

/** Twice the size of the largest email. */
const maxBytes = 4_000_000;

interface FolderContent {
  templates: LocalTemplate[];
  problems: FileProblem[];
  /** All template files, including those that cannot be read. */
  paths: string[];
}

/** Reads every `.md` file except README.md, including those in subfolders. */
export async function readFolder(country: Pick<Country, 'postage'>, root: string): Promise<FolderContent> {
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory()) throw new OperatorError(`${root} is not a folder.`);
  const paths = await listFiles(root, '');
  const templates: LocalTemplate[] = [];
  const problems: FileProblem[] = [];
  for (const path of paths) {
    const text = await readText(join(root, path));
    const read =
      typeof text === 'string' ? readTemplate(country, shown(path), text) : [{ path: shown(path), line: 1, ...text }];
    if (Array.isArray(read)) problems.push(...read);
    else templates.push({ ...read, path });
  }
  return { templates, problems: [...problems, ...repeatedIds(templates), ...repeatedNames(templates)], paths };
}

async function listFiles(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const lists = await Promise.all(
    entries
      .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
      .map(async (entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return listFiles(root, path);
        return /\.md$/i.test(entry.name) && !/^readme\.md$/i.test(entry.name) ? [path] : [];
      }),
  );
  return lists.flat().sort();
}

async function readText(path: string): Promise<string | { message: string }> {
  const { size } = await stat(path);
  if (size > maxBytes) return { message: `The file is larger than ${maxBytes / 1_000_000} MB` };
  try {
    // Strips the byte order mark that some editors write.
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (error instanceof TypeError) return { message: 'The file is not UTF-8' };
    throw error;
  }
}

function repeatedIds(templates: LocalTemplate[]): FileProblem[] {
  return repeats(templates, ({ id }) => id).map(([{ path }, first]) => ({
    path: shown(path),
    line: 1,
    message: `The same id as in ${shown(first.path)}`,
  }));
}

/** Templates with an id can have the same name, as on the server. For a new template it would be ambiguous. */
function repeatedNames(templates: LocalTemplate[]): FileProblem[] {
  return repeats(templates, ({ fields }) => `${fields.channel} ${fields.name}`)
    .filter(([template, first]) => template.id === undefined || first.id === undefined)
    .map(([{ path, fields }, first]) => ({
      path: shown(path),
      line: 1,
      message: `The same name and channel as ${shown(first.path)}: "${fields.name}"`,
    }));
}

function repeats(templates: LocalTemplate[], keyOf: (template: LocalTemplate) => string | undefined) {
  const firsts = new Map<string, LocalTemplate>();
  return templates.flatMap((template): [LocalTemplate, LocalTemplate][] => {
    const key = keyOf(template);
    if (key === undefined) return [];
    const first = firsts.get(key);
    if (first) return [[template, first]];
    firsts.set(key, template);
    return [];
  });
}

/** Returns a path with the same separators on every system. */
export function shown(path: string): string {
  return path.replaceAll(sep, '/');
}

export async function writeTemplateFile(root: string, path: string, { id, version, fields }: ServerTemplate) {
  await writeText(join(root, path), writeTemplate(fields, { id, version }));
}

/** Records the id and version that the server assigned, and leaves the rest of the file unchanged. */
export async function recordVersion(root: string, path: string, { id, version }: Omit<ServerTemplate, 'fields'>) {
  const text = await readFile(join(root, path), 'utf8');
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const changed = changeFrontMatter(
    text.slice(mark.length),
    new Map<string, string | number>([
      ['id', id],
      ['version', version],
    ]),
  );
  await writeText(join(root, path), mark + changed);
}

export async function deleteTemplateFile(root: string, path: string): Promise<void> {
  await rm(join(root, path));
}

/** Writes atomically, so that an interrupted command leaves no partial file. */
async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = join(dirname(path), `.${basename(path)}.unfinished`);
  await writeFile(unfinished, text);
  await rename(unfinished, path);
}
