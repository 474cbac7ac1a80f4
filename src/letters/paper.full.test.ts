import { beforeAll, describe, expect, it } from 'vitest';
import { aLetter, anUploadedLetter } from '../../test/kit/builders/letters.ts';
import { aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { address, firstPage, makePdf } from '../../test/kit/samples/pdf-samples.ts';
import { aPerson, joinService, signedIn } from '../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../test/kit/world/console-visitor.ts';
import { gb } from '../countries/gb.ts';
import { letterFiles } from '../notifications/tasks-for-others.ts';
import { withPdf } from '../rendering/pdf/pdfium.ts';

const letterSize = { width: 215.9, height: 279.4 };
const american = makePdf([
  {
    ...letterSize,
    draw(page) {
      for (const [index, line] of address.entries()) page.text(line, 16, 56 + index * 3.5, { size: 8 });
      page.text('Dear Ms Penny', 20, 100);
    },
  },
]);
const later = makePdf([{ ...letterSize, draw: (page) => page.text('More', 20, 30) }]);

describe.each([
  {
    name: 'US Letter',
    profile: { ...gb, code: 'x-letter', letter: { ...gb.letter, paper: 'letter', window: 'us-10' } } as const,
    own: american,
    other: makePdf([firstPage()]),
    size: [215.9, 279.4],
    picture: 'width="612" height="792"',
    refusal: { letter: 'Pages must be US Letter, portrait.', attached: 'Pages must be US Letter, portrait.' },
    hints: ['US Letter, at most 10 pages and 2 MB', 'Use US Letter pages and at most 2 MB.'],
  },
  {
    name: 'A4',
    profile: gb,
    own: makePdf([firstPage()]),
    other: american,
    size: [210, 297],
    picture: 'width="595" height="842"',
    refusal: {
      letter: 'Some pages are not A4 portrait. Change their size and upload the PDF again.',
      attached: 'Use A4 portrait pages only.',
    },
    hints: ['A4, at most 10 pages and 2 MB', 'Use A4 pages and at most 2 MB.'],
  },
])('letters on $name', { timeout: 120_000 }, ({ name, profile, own, other, size, picture, refusal, hints }) => {
  const harness = useHarness({ country: profile, now: '2026-11-16T12:00:00Z' });
  let service: string;
  let template: string;
  let browser: ConsoleVisitor;

  beforeAll(async () => {
    const { id } = await aPerson(harness);
    service = await aService(harness);
    await joinService(harness, service, id);
    template = await aTemplate(harness, service, { template_type: 'letter' });
    browser = await signedIn(harness, id);
  });

  const sizeOf = (pdf: Uint8Array) =>
    withPdf(pdf, (file) =>
      file.page(1, (page) => [Math.round(page.width_mm * 10) / 10, Math.round(page.height_mm * 10) / 10]),
    );
  const upload = async (pdf: Promise<Uint8Array>) =>
    browser.postFile(
      `/console/services/${service}/pdf-letters`,
      {},
      { field: 'file', name: 'rent.pdf', content: new Uint8Array(await pdf) },
    );

  it('are printed on it', async () => {
    const id = await aLetter(harness, service, template);
    await harness.runTasks();
    const pdf = await harness.files.get(letterFiles.finished(id));
    expect(pdf && (await sizeOf(pdf))).toEqual(size);
    const page = await browser.get(`/console/services/${service}/messages/${id}`);
    expect(page.text).toContain(picture);
    expect((await browser.get(`/console/services/${service}/messages/${id}/pages/1`)).status).toBe(200);
  });

  it('are accepted as PDF of its size, and rewritten', async () => {
    const { location = '' } = await upload(own);
    const page = await browser.get(location);
    expect(page.text).toContain('Ms Angharad Penny<br/>12 Post Office Lane');
    expect(page.text).toContain(picture);
    const id = await anUploadedLetter(harness, service, await own);
    await harness.runTasks();
    const pdf = await harness.files.get(letterFiles.finished(id));
    expect(pdf && (await sizeOf(pdf))).toEqual(size);
  });

  it('are refused as PDF of another size', async () => {
    expect((await browser.get(`/console/services/${service}/pdf-letters`)).text).toContain(hints[0]);
    const { location = '' } = await upload(other);
    expect((await browser.get(location)).text).toContain(`${refusal.letter} See page 1.`);
    const checked = await harness.admin('POST', `/service/${service}/check-pdf-letter`, {
      content: Buffer.from(await other).toString('base64'),
    });
    expect(checked.body).toMatchObject({ message: 'letter-not-a4-portrait-oriented', invalid_pages: [1] });
  });

  it('take attached pages of its size', async () => {
    const url = `/console/services/${service}/letter-templates/${template}/attached-pages`;
    const attach = async (pdf: Promise<Uint8Array>) =>
      browser.postFile(url, {}, { field: 'upload', name: 'map.pdf', content: new Uint8Array(await pdf) });
    expect((await browser.get(url)).text).toContain(hints[1]);
    const [wrong, right] = [makePdf([{}]), later];
    const isLetter = name === 'US Letter';
    const refused = await attach(isLetter ? wrong : right);
    expect([refused.status, refused.problems.upload]).toEqual([400, `${refusal.attached} See page 1.`]);
    expect(refused.text).toContain(picture);
    expect((await attach(isLetter ? right : wrong)).status).toBe(303);
  });

  it('are shown in the editor and in the quick start', async () => {
    const shown = await browser.get(`/console/services/${service}/templates/${template}`);
    expect(shown.text).toContain(picture);
    expect((await browser.get(`/console/services/${service}/quick-start?template=${template}`)).status).toBe(200);
  });
});
