import { createHash } from 'node:crypto';
import { invalidField, notFound } from '../platform/failure.ts';
import type { Urls } from '../platform/settings.ts';
import type { Files } from '../platform/storage/files.ts';
import { WorkerFailure } from '../platform/threads/thread.ts';
import type { TaskRunner } from '../platform/threads/worker-pool.ts';
import { logoLimits, type PictureProblem } from '../rendering/email/logo-picture.ts';
import type * as tasks from '../rendering/pdf/pdf-worker.ts';
import type { BrandingSettings } from './settings.ts';

export const maxLogoBytes = 2 * 1024 * 1024;

export interface LogoDeps {
  files: Files;
  /** Threads with a time limit, for decoding untrusted pictures. */
  pdfThreads: { forRequest(owner: string): TaskRunner<typeof tasks> };
}

const refusals: Record<PictureProblem | 'too-many-bytes', string> = {
  'not-a-png': 'Choose a PNG file. Other pictures can be exported as PNG.',
  damaged: 'This PNG cannot be read. Export the logo again.',
  'too-low': `Choose a picture that is at least ${logoLimits.min_height} pixels high.`,
  'too-large': 'Choose a picture of at most 3,000 by 3,000 pixels.',
  'too-many-bytes': 'Choose a file of at most 2 MB.',
};

/** The value of `logo` for an uploaded one. It is derived from the content, so a URL always shows the same picture. */
const uploaded = /^logos\/([0-9a-f]{32}\.png)$/;
const storedFile = (name: string) => `email-branding/${name}`;

/** Stores a picture and returns the value for a brand's `logo`. Pictures are never deleted, because sent emails still show them. */
export async function storeEmailLogo(app: LogoDeps, bytes: Uint8Array, field = 'logo'): Promise<string> {
  const picture = bytes.length > maxLogoBytes ? 'too-many-bytes' : await readPicture(app, bytes);
  if (typeof picture === 'string') throw invalidField(field, refusals[picture]);
  const name = `${createHash('sha256').update(picture).digest('hex').slice(0, 32)}.png`;
  await app.files.put(storedFile(name), picture);
  return `logos/${name}`;
}

async function readPicture({ pdfThreads }: LogoDeps, bytes: Uint8Array): Promise<Uint8Array | PictureProblem> {
  try {
    return await pdfThreads.forRequest('email-branding').run('readLogoPicture', bytes);
  } catch (error) {
    if (error instanceof WorkerFailure && error.reason !== 'closed') return 'damaged';
    throw error;
  }
}

/** Returns the file of a path below /logos. */
export async function getEmailLogo({ files }: Pick<LogoDeps, 'files'>, name: string): Promise<Buffer> {
  const picture = uploaded.test(`logos/${name}`) ? await files.get(storedFile(name)) : undefined;
  if (!picture) throw notFound();
  return picture;
}

/** Returns the path of an uploaded logo on this server, for pages of the same origin. */
export function uploadedLogoPath(logo: string | null): string | undefined {
  return logo !== null && uploaded.test(logo) ? `/${logo}` : undefined;
}

/** Returns the URL of an uploaded logo, a full URL, or a file name under LOGO_BASE_URL. */
export function emailLogoUrl(config: { branding: BrandingSettings; urls: Urls }, logo: string | null): string | null {
  if (!logo) return null;
  const path = uploadedLogoPath(logo);
  if (path) return config.urls.api + path;
  if (/^https?:\/\//i.test(logo)) return logo;
  const base = config.branding.logoBaseUrl;
  return base ? `${base}/${encodeURI(logo.replace(/^\/+/, ''))}` : null;
}
