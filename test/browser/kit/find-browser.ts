import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

/** The browser that CHROMIUM names, or the first one on the PATH. */
export function findBrowser(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = process.env.CHROMIUM
    ? [process.env.CHROMIUM]
    : names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** For vitest's globalSetup: says what is missing before any test runs. */
export default function refuseWithoutBrowser(): void {
  if (findBrowser() !== undefined) return;
  const named = process.env.CHROMIUM ? `CHROMIUM names ${process.env.CHROMIUM}, which cannot be run. ` : '';
  throw new Error(
    `${named}There is no browser: install Chromium (Debian: apt install chromium), or name one in CHROMIUM.`,
  );
}
