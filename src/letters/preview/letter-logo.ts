import { getLetterBranding } from '../../branding/letter-branding.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { WorkerFailure } from '../../platform/threads/worker-pool.ts';
import type { PdfThreads } from '../pdf-threads.ts';

type Deps = Pick<Platform, 'db' | 'clock' | 'files'> & { pdfThreads: PdfThreads };

/** Named by id: the file name in the branding is free text and can change. */
export const logoFile = (brandingId: string) => `letter-branding/${brandingId}.svg`;

const refusals = {
  'too-large': 'Longer than maximum length 1000000.',
  'not-an-svg': 'Not a valid SVG.',
  'cannot-be-drawn': 'This SVG cannot be drawn.',
} as const;

/** Applies to letters rendered from now on; rendered letters do not change. */
export async function putLogo(app: Deps, brandingId: string, svg: string): Promise<void> {
  const { id } = await getLetterBranding(app, brandingId);
  const problem = await checkLogo(app, svg);
  if (problem) throw invalidField('svg', refusals[problem]);
  await app.files.put(logoFile(id), Buffer.from(svg, 'utf8'));
}

async function checkLogo({ pdfThreads }: Deps, svg: string) {
  try {
    return await pdfThreads.forRequest('letter-branding').run('checkLogo', svg);
  } catch (error) {
    // An SVG that crashes a thread would crash one for every letter.
    if (error instanceof WorkerFailure && error.reason !== 'closed') return 'cannot-be-drawn';
    throw error;
  }
}

export async function getLogo(app: Deps, brandingId: string): Promise<Buffer> {
  const { id } = await getLetterBranding(app, brandingId);
  const svg = await app.files.get(logoFile(id));
  if (!svg) throw notFound('This letter branding has no logo');
  return svg;
}
