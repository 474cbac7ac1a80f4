import type { PdfThreads } from '../pdf-threads.ts';

/** Pictures of pages that cannot be printed, with the forbidden area in red, as data URLs: a refused file is not stored. */
export async function markedPages(
  { pdfThreads }: { pdfThreads: PdfThreads },
  serviceId: string,
  pdf: Uint8Array,
  pages: number[],
): Promise<string[]> {
  const tasks = pdfThreads.forRequest(serviceId);
  const pictures: string[] = [];
  for (const page of pages.slice(0, maxPictures)) {
    const options = { decoration: 'red-overlay', kind: 'attachment' } as const;
    const picture = await tasks.run('pageToPng', pdf, page, options);
    pictures.push(`data:image/png;base64,${Buffer.from(picture).toString('base64')}`);
  }
  return pictures;
}

const maxPictures = 3;
