import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { anApiKey, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { letterFiles } from '../notifications/tasks-for-others.ts';
import { linesIn } from '../rendering/pdf/pdf-text.ts';
import { withPdf } from '../rendering/pdf/pdfium.ts';

const folder = mkdtempSync(join(tmpdir(), 'pennypost-languages-'));
writeFileSync(join(folder, 'fy.po'), 'msgid "Page {page} of {pages}"\nmsgstr "Side {page} fan {pages}"\n');
afterAll(() => rmSync(folder, { recursive: true }));

const harness = useHarness({
  now: '2030-11-15T12:00:00Z',
  environment: { LANGUAGES: 'en,fy', LANGUAGES_DIR: folder },
});

const wholePage = { left: 0, top: 0, right: 210, bottom: 297 };

it.each([
  ['fy', '15 Novimber 2030', 'Side 1 fan 2'],
  ['cy', '15 Tachwedd 2030', 'Tudalen 1 o 2'],
  ['en', '15 November 2030', 'Page 1 of 2'],
  ['fr', '15 novembre 2030', 'Page 1 '],
])('a letter in %s has its date and page numbers in that language', async (language, date, page) => {
  const service = await aService(harness, { permissions: ['letter', 'template_languages'] });
  const text = { subject: 'Subject', content: 'First\n\n***\n\nSecond' };
  const { body: made } = await harness.admin('POST', `/service/${service}/template`, {
    ...{ name: 'Notice', template_type: 'letter', created_by: await aUser(harness), ...text },
    languages: { default: 'en', variants: ['cy', 'fr', 'fy'].map((tag) => ({ language: tag, ...text })) },
  });
  const { body, status } = await harness.v2('POST', '/v2/notifications/letter', await anApiKey(harness, service), {
    ...{ template_id: made.data.id, language },
    personalisation: { address_line_1: 'Ada', address_line_2: '1 Road', address_line_3: 'SW1A 1AA' },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  await harness.runTasks();
  const pdf = await harness.files.get(letterFiles.finished(body.id));
  if (!pdf) throw new Error('no PDF');
  const first = await withPdf(pdf, (file) => file.page(1, (one) => linesIn(one, wholePage).join('\n')));
  expect(first).toContain(date);
  expect(first).toContain(page);
  expect(Buffer.from(pdf).toString('latin1')).toMatch(new RegExp(`/Lang \\(${language}(-GB)?\\)`));
});
