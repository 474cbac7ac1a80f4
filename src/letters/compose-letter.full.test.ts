import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { aLetter, aLetterBranding, letterRow } from '../../test/kit/builders/letters.ts';
import { aReplyTo, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { sampleLogo } from '../../test/kit/samples/letter-samples.ts';
import { laterPage, makePdf } from '../../test/kit/samples/pdf-samples.ts';
import { composeLetter, letterFiles } from '../notifications/tasks-for-others.ts';
import { linesIn } from '../rendering/pdf/pdf-text.ts';
import { withPdf } from '../rendering/pdf/pdfium.ts';
import { letterAttachmentPath } from './attachments/letter-attachments.ts';

const readQrCode: typeof import('jsqr').default = createRequire(import.meta.url)('jsqr');

const harness = useHarness({ now: '2030-11-15T12:00:00Z' });
let service: string;
let template: string;

beforeAll(async () => {
  service = await aService(harness);
  template = await aTemplate(harness, service, { template_type: 'letter' });
});

const wholePage = { left: 0, top: 0, right: 210, bottom: 297 };

async function pagesOf(id: string): Promise<string[]> {
  const pdf = await harness.files.get(letterFiles.finished(id));
  if (!pdf) throw new Error('no PDF');
  return withPdf(pdf, (file) =>
    Array.from({ length: file.page_count }, (_, index) =>
      file.page(index + 1, (page) => linesIn(page, wholePage).join('\n')),
    ),
  );
}

async function fileOf(id: string) {
  return harness.app.db.selectFrom('letter_files').selectAll().where('notification_id', '=', id).executeTakeFirst();
}

const pageBreaks = (pages: number) => Array.from({ length: pages }, (_, n) => `Page text ${n + 1}`).join('\n\n***\n\n');

describe('compose-letter', () => {
  it('renders a live letter, counts its sheets and leaves it for the print run', async () => {
    const id = await aLetter(harness, service, template);
    await harness.runTasks();
    expect(await letterRow(harness, id)).toMatchObject({ status: 'created', billable_units: 1, provider: null });
    expect(await fileOf(id)).toMatchObject({ page_count: 1, message: null, invalid_pages: null });
    const [page] = await pagesOf(id);
    expect(page).toContain('SW1A 1AA');
    expect(page).toContain('15 November 2030');
    expect(page).toContain('About your claim');
    expect(page).toContain('Hello Ada');
    expect(page).toContain('NOTIFY');
  });

  it('delivers a letter of a test key at once, free of charge', async () => {
    const id = await aLetter(harness, service, template, { key_type: 'test' });
    await harness.runTasks();
    expect(await letterRow(harness, id)).toMatchObject({ status: 'delivered', billable_units: 0 });
    expect(await pagesOf(id)).toHaveLength(1);
  });

  it('renders the template version and the contact block of the time of acceptance', async () => {
    const changed = await aTemplate(harness, service, { template_type: 'letter', subject: 'Old', content: 'Old text' });
    const contact = await aReplyTo(harness, service, 'letter', { text: 'New contact' });
    const id = await aLetter(harness, service, changed, { reply_to_text: 'Contact of then' });
    await harness.admin('POST', `/service/${service}/template/${changed}`, { content: 'New text', subject: 'New' });
    await harness.admin('POST', `/service/${service}/template/${changed}`, { reply_to: contact });
    await harness.runTasks();
    const [page] = await pagesOf(id);
    expect(page).toContain('Old text');
    expect(page).toContain('Contact of then');
    expect(page).not.toContain('New');
  });

  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [10, 5],
  ])('%d pages are %d sheets', async (pages, sheets) => {
    const content = pageBreaks(pages);
    const id = await aLetter(harness, service, await aTemplate(harness, service, { template_type: 'letter', content }));
    await harness.runTasks();
    expect(await letterRow(harness, id)).toMatchObject({ status: 'created', billable_units: sheets });
  });

  it.each(['normal', 'test'] as const)('rejects eleven pages (%s key)', async (key_type) => {
    const content = pageBreaks(11);
    const long = await aTemplate(harness, service, { template_type: 'letter', content });
    const id = await aLetter(harness, service, long, { key_type });
    await harness.runTasks();
    expect(await letterRow(harness, id)).toMatchObject({ status: 'validation-failed', billable_units: 0 });
    expect(await fileOf(id)).toMatchObject({ page_count: 11, message: 'letter-too-long', invalid_pages: null });
  });

  it('puts Welsh first and attached pages last, and counts all pages', async () => {
    const bilingual = await aTemplate(harness, service, {
      template_type: 'letter',
      letter_languages: 'welsh_then_english',
      letter_welsh_subject: 'Pennawd',
      letter_welsh_content: 'Annwyl ((name))',
    });
    const attachment = '11111111-2222-4333-8444-555555555555';
    const { created_by_id } = await harness.app.db
      .selectFrom('templates')
      .select('created_by_id')
      .where('id', '=', bilingual)
      .executeTakeFirstOrThrow();
    await harness.app.db
      .insertInto('letter_attachments')
      .values({
        id: attachment,
        service_id: service,
        template_id: bilingual,
        original_filename: 'form.pdf',
        page_count: 1,
        created_by_id,
        created_at: '2030-11-15T00:00:00Z',
      })
      .execute();
    for (const table of ['templates', 'templates_history'] as const) {
      await harness.app.db
        .updateTable(table)
        .set({ letter_attachment_id: attachment })
        .where('id', '=', bilingual)
        .execute();
    }
    await harness.files.put(letterAttachmentPath(service, attachment), await makePdf([laterPage()]));
    const id = await aLetter(harness, service, bilingual);
    await harness.runTasks();
    const [welsh, english, attached] = await pagesOf(id);
    expect(welsh).toContain('15 Tachwedd 2030');
    expect(welsh).toContain('Annwyl Ada');
    expect(english).toContain('Hello Ada');
    expect(attached).toContain('More of the letter');
    expect(await letterRow(harness, id)).toMatchObject({ billable_units: 2 });
  });

  it('renders the logo of the branding of the service', async () => {
    const brand = await aLetterBranding(harness);
    const plain = await aLetter(harness, service, template);
    const branded = await aService(harness, { letter_branding_id: brand });
    const id = await aLetter(harness, branded, await aTemplate(harness, branded, { template_type: 'letter' }));
    await harness.admin('POST', `/letter-branding/${brand}/logo`, { svg: sampleLogo.svg });
    await harness.runTasks();
    expect((await pagesOf(id))[0]).toContain('Borough of');
    expect((await pagesOf(plain))[0]).not.toContain('Borough of');
  });

  it('reports that a letter is printed without the logo of its brand', async () => {
    const brand = await aLetterBranding(harness, 'No logo');
    const branded = await aService(harness, { letter_branding_id: brand });
    const id = await aLetter(harness, branded, await aTemplate(harness, branded, { template_type: 'letter' }));
    await harness.runTasks();
    expect(await pagesOf(id)).toHaveLength(1);
    const lines = harness.logged.filter((line) => line.includes('letter.logo_missing')).map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ letter_branding_id: brand, service_id: branded }]);
  });

  it('renders the longest possible QR code readable', async () => {
    const data = `https://example.gov.uk/${'a7'.repeat(238)}`;
    const qr = await aTemplate(harness, service, { template_type: 'letter', content: 'Look: ((build_id))' });
    const id = await aLetter(harness, service, qr, {
      key_type: 'test',
      personalisation: { build_id: `\n\nqr: ${data}\n\n` },
    });
    await harness.runTasks();
    const pdf = await harness.files.get(letterFiles.finished(id));
    const image = await withPdf(pdf ?? new Uint8Array(), (file) => file.page(1, (page) => page.render(150)));
    const code = readQrCode(new Uint8ClampedArray(image.pixels), image.width, image.height);
    expect(code?.data).toBe(data);
  });

  it('does not render a cancelled letter', async () => {
    const id = await aLetter(harness, service, template);
    await harness.admin('POST', `/service/${service}/notifications/${id}/cancel`);
    await harness.runTasks();
    expect(await letterRow(harness, id)).toMatchObject({ status: 'cancelled', billable_units: 0 });
    expect(await harness.files.get(letterFiles.finished(id))).toBeUndefined();
  });

  it('renders the same bytes when run twice', async () => {
    const id = await aLetter(harness, service, template);
    await harness.runTasks();
    const first = await harness.files.get(letterFiles.finished(id));
    await harness.app.db.updateTable('notifications').set({ billable_units: 0 }).where('id', '=', id).execute();
    await harness.app.queue.add(harness.app.db, composeLetter, { notification_id: id });
    await harness.runTasks();
    expect(await harness.files.get(letterFiles.finished(id))).toEqual(first);
  });

  it('retries a letter that fails to render, and finally gives up', async () => {
    const gone = await aTemplate(harness, service, { template_type: 'letter' });
    const id = await aLetter(harness, service, gone);
    await harness.app.db.deleteFrom('templates_history').where('id', '=', gone).execute();
    await harness.runTasks();
    expect(await letterRow(harness, id)).toMatchObject({ status: 'created' });
    await harness.app.queue.add(harness.app.db, composeLetter, { notification_id: id, attempt: 15 });
    await harness.runTasks();
    expect(await letterRow(harness, id)).toMatchObject({ status: 'technical-failure', billable_units: 0 });
  });

  it('resumes a letter whose task was lost', async () => {
    const id = await aLetter(harness, service, template);
    await harness.app.db.deleteFrom('letter_files').where('notification_id', '=', id).execute();
    await harness.runTasks();
    await harness.app.db.updateTable('notifications').set({ billable_units: 0 }).where('id', '=', id).execute();
    harness.clock.advance({ hours: 2 });
    await harness.addTask('resume-letters');
    await harness.runTasks();
    expect(await letterRow(harness, id)).toMatchObject({ billable_units: 1 });
  });
});
