import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { firstPage, makePdf } from '../../../../test/kit/samples/pdf-samples.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let other: string;
let browser: ConsoleVisitor;

beforeAll(async () => {
  const { id } = await aPerson(harness);
  service = await aService(harness, { contact_link: 'https://example.org/contact' });
  other = await aService(harness, { name: 'Library', contact_link: 'https://example.org/contact' });
  for (const one of [service, other]) {
    await harness.admin('POST', `/service/${one}/users/${id}`, { permissions: [{ permission: 'manage_templates' }] });
  }
  browser = await signedIn(harness, id);
});

const templateOf = async (serviceId: string, id: string) =>
  (await harness.admin('GET', `/service/${serviceId}/template/${id}`)).body.data;
const templatesOf = async (serviceId: string) =>
  (await harness.admin('GET', `/service/${serviceId}/template`)).body.data as { id: string; name: string }[];

describe('files of an email template', () => {
  it('are uploaded, made live, copied to another service and removed', async () => {
    const id = await aTemplate(harness, service, { template_type: 'email', name: 'Plan', content: 'Hello' });
    const url = `/console/services/${service}/email-templates/${id}/files`;
    const wrong = await browser.postFile(url, {}, { field: 'upload', name: 'plan.exe', content: 'x' });
    expect([wrong.status, wrong.problems.upload]).toEqual([
      400,
      expect.stringContaining("Unsupported file type '.exe'"),
    ]);
    const uploaded = await browser.postFile(url, {}, { field: 'upload', name: 'plan.txt', content: 'The plan' });
    expect(uploaded.status).toBe(303);
    const file = uploaded.location ?? '';
    const bad = await browser.post(file, { do: 'live', link_text: 'The plan', weeks: '79' });
    expect(bad.problems.weeks).toBe('Enter a number of weeks from 1 to 78.');
    expect((await browser.post(file, { do: 'live', link_text: 'The plan', weeks: '4' })).status).toBe(303);
    const live = await templateOf(service, id);
    expect([live.content, live.email_files]).toEqual([
      'Hello\n\n((plan.txt))',
      [
        expect.objectContaining({
          filename: 'plan.txt',
          link_text: 'The plan',
          retention_period: 4,
          validate_users_email: false,
        }),
      ],
    ]);
    const copy = `/console/services/${service}/templates/copy?template=${id}`;
    for (const name of ['Plan (copy)', 'Plan (copy 2)']) {
      expect((await browser.post(copy, { place: other })).status).toBe(303);
      const copied = (await templatesOf(other)).find((template) => template.name === name);
      expect((await templateOf(other, copied?.id ?? '')).email_files).toEqual([
        expect.objectContaining({ filename: 'plan.txt', link_text: 'The plan', retention_period: 4 }),
      ]);
    }
    expect((await browser.post(file, { do: 'remove' })).status).toBe(303);
    const removed = await templateOf(service, id);
    expect([removed.content, removed.email_files]).toEqual(['Hello', []]);
  });
});

describe('pages attached to a letter', () => {
  it('are attached, refused with the problem marked on the page, copied and removed', async () => {
    const id = await aTemplate(harness, service, { template_type: 'letter', name: 'Decision' });
    const url = `/console/services/${service}/letter-templates/${id}/attached-pages`;
    const broken = await browser.postFile(url, {}, { field: 'upload', name: 'a.pdf', content: 'no pdf' });
    expect([broken.status, broken.problems.upload]).toEqual([
      400,
      'We could not read the file. Save it as a PDF again.',
    ]);
    const outside = new Uint8Array(await makePdf([{ draw: (page) => page.text('Too far left', 1, 100) }]));
    const marked = await browser.postFile(url, {}, { field: 'upload', name: 'b.pdf', content: outside });
    expect(marked.status).toBe(400);
    expect(marked.problems.upload).toContain('inside the area that can be printed. See page 1.');
    expect(marked.text).toContain('src="data:image/png;base64,');
    const good = new Uint8Array(await makePdf([firstPage()]));
    const attached = await browser.postFile(url, {}, { field: 'upload', name: 'c.pdf', content: good });
    expect(attached.status).toBe(303);
    expect((await templateOf(service, id)).letter_attachment.original_filename).toBe('c.pdf');
    await browser.post(`/console/services/${service}/templates/copy?template=${id}`, { place: other });
    const copied = (await templatesOf(other)).find(({ name }) => name === 'Decision (copy)');
    expect((await templateOf(other, copied?.id ?? '')).letter_attachment).toMatchObject({ original_filename: 'c.pdf' });
    expect((await browser.post(url, { do: 'remove' })).status).toBe(303);
    expect((await templateOf(service, id)).letter_attachment).toBeNull();
  }, 60_000);
});
