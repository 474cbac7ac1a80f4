import { NotifyClient } from 'notifications-node-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';

// The client signs its tokens with the real time, so the clock starts there.
const harness = useHarness();
let client: NotifyClient;
let service: string;
let id: string;

beforeAll(async () => {
  service = await aService(harness);
  id = await aTemplate(harness, service, { template_type: 'email', subject: 'For ((name))', content: 'Dear ((name))' });
  await harness.admin('POST', `/service/${service}/template/${id}`, { content: 'Hello ((name))' });
  const address = await harness.http.listen({ host: '127.0.0.1', port: 0 });
  client = new NotifyClient(address, await anApiKey(harness, service));
});

describe('the official client', () => {
  it('previews a template', async () => {
    const { status, data } = await client.previewTemplateById(id, { name: 'Ada' });
    expect(status).toBe(200);
    expect(data).toMatchObject({ id, type: 'email', version: 2, body: 'Hello Ada', subject: 'For Ada' });
  });

  it('gets an error for missing values', async () => {
    await expect(client.previewTemplateById(id)).rejects.toMatchObject({
      response: { status: 400, data: { errors: [{ message: 'Missing personalisation: name' }] } },
    });
  });

  it('reads a template and an older version of it', async () => {
    expect((await client.getTemplateById(id)).data).toMatchObject({ id, version: 2, body: 'Hello ((name))' });
    expect((await client.getTemplateByIdAndVersion(id, 1)).data).toMatchObject({
      id,
      version: 1,
      body: 'Dear ((name))',
    });
  });

  it('lists templates, all or of one type', async () => {
    expect((await client.getAllTemplates()).data.templates).toMatchObject([{ id }]);
    expect((await client.getAllTemplates('email')).data.templates).toMatchObject([{ id }]);
    expect((await client.getAllTemplates('sms')).data.templates).toEqual([]);
  });
});
