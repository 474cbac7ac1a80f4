import type { Files } from '../../../src/platform/storage/files.ts';

export class FakeFiles implements Files {
  readonly kept = new Map<string, Buffer>();

  async put(path: string, content: Uint8Array): Promise<void> {
    this.kept.set(path, Buffer.from(content));
  }

  async get(path: string): Promise<Buffer | undefined> {
    return this.kept.get(path);
  }

  async remove(path: string): Promise<void> {
    this.kept.delete(path);
  }

  async removeUnfinished(): Promise<void> {}
}
