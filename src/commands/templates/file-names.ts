import { join } from 'node:path';
import type { ServerTemplate } from './template.ts';

/** File systems allow 255 bytes, with endings. */
const maxBytes = 120;
/** Windows keeps these for devices, with any extension. */
const reserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/;

/** Paths for templates that have no file yet. Names come from the server: none leads out of the folder. */
export class FileNames {
  /** In one spelling, because some disks ignore case and how accents are encoded. */
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

/** Letters and digits of any script, and hyphens: no separators, no dots, nothing that a system treats specially. */
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
