import { LRUCache } from 'lru-cache';
import { invalid } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import type { Files } from '../platform/storage/files.ts';

/** Sizes of template files by path. They can be cached because a template file never changes. */
export class FileSizes {
  private readonly sizes = new LRUCache<string, number>({ max: 10_000 });
  private readonly files: Files;

  constructor({ files }: Platform) {
    this.files = files;
  }

  async get(path: string): Promise<number> {
    const cached = this.sizes.get(path);
    if (cached !== undefined) return cached;
    const content = await this.files.get(path);
    if (!content) throw invalid('A file of the template has not been uploaded');
    this.sizes.set(path, content.length);
    return content.length;
  }
}
