import { readFileSync } from 'node:fs';

export interface Build {
  git_commit: string;
  build_time: string;
}

/** The file is written by the build and missing when running from source. */
export function readBuild(): Build {
  try {
    return JSON.parse(readFileSync(new URL('../build.json', import.meta.url), 'utf8')) as Build;
  } catch {
    return { git_commit: 'unknown', build_time: 'unknown' };
  }
}

export function readVersion(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}
