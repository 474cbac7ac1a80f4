import { readdirSync, readFileSync } from 'node:fs';

/** Lists the files of the repository: all that .gitignore does not name. Needs no git, which an unpacked archive does not have. */
export function repositoryFiles(): string[] {
  const ignored = ['.git', '.git/', ...readFileSync('.gitignore', 'utf8').split('\n').filter(Boolean)].map(
    (pattern) => new RegExp(`(^|/)${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`),
  );
  const list = (folder: string): string[] =>
    readdirSync(folder || '.', { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`;
      if (ignored.some((pattern) => pattern.test(path))) return [];
      return entry.isDirectory() ? list(path) : entry.isFile() ? [path] : [];
    });
  return list('');
}
