import { describe, expect, it } from 'vitest';
import { anUploadedLetter } from './kit/builders/letters.ts';
import { aService, aTemplate, aUser } from './kit/builders/rows.ts';
import { useHarness } from './kit/harness.ts';
import { firstPage, makePdf } from './kit/samples/pdf-samples.ts';

/** What the front end of GOV.UK Notify reads differently. The other tests cover the standard shapes. */
const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { frontEnd: { shapes: 'notifications-admin' } } });
const { admin } = harness;

describe('ADMIN_API_SHAPES=notifications-admin', () => {
  it('GET /service/{id}/users: permissions by service, as in GET /user/{id}', async () => {
    const user = await aUser(harness);
    const [service, other] = [
      await aService(harness, { created_by_id: user }),
      await aService(harness, { created_by_id: user }),
    ];
    const { body } = await admin('GET', `/service/${service}/users`);
    expect(body.data[0].permissions).toMatchObject({ [service]: ['manage_settings'], [other]: ['manage_settings'] });
    expect(body.data).toEqual([(await admin('GET', `/user/${user}`)).body.data]);
    expect((await admin('GET', `/service/${user}/users`)).status).toBe(404);
  });

  it('GET /service/{id}/template/{id}/versions: created_by is a person, and nothing else differs', async () => {
    const service = await aService(harness);
    const template = await aTemplate(harness, service);
    const { body } = await admin('GET', `/service/${service}/template/${template}/versions`);
    const { template_redacted, ...version } = (await admin('GET', `/service/${service}/template/${template}/version/1`))
      .body.data;
    expect(body.data).toEqual([version]);
    expect(Object.keys(version.created_by)).toEqual(['id', 'name', 'email_address']);
    expect(template_redacted).toBe(template);
  });

  it('GET /service/{id}/template/preview/{id}/pdf: invalid_pages is a text', async () => {
    const service = await aService(harness);
    const pages = [firstPage(), { width: 297, height: 210 }];
    const [bad, good] = [
      await anUploadedLetter(harness, service, await makePdf(pages)),
      await anUploadedLetter(harness, service, await makePdf([firstPage()])),
    ];
    await harness.runTasks();
    const metadataOf = async (id: string) =>
      (await admin('GET', `/service/${service}/template/preview/${id}/pdf`)).body.metadata;
    expect(await metadataOf(bad)).toEqual({
      message: 'letter-not-a4-portrait-oriented',
      invalid_pages: '[2]',
      page_count: 2,
    });
    expect(await metadataOf(good)).toEqual({ message: '', invalid_pages: '[]', page_count: 1 });
  });
});
