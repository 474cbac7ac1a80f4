import { describe, expect, it } from 'vitest';
import { aJob } from '../../test/kit/builders/jobs.ts';
import { anOrganisation, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { timestamp } from '../platform/clock.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness();
const find = (uuid: unknown) => harness.admin('POST', '/platform-admin/find-by-uuid', { uuid });

describe('POST /platform-admin/find-by-uuid', () => {
  it('200 with the type and the owner', async () => {
    const user = await aUser(harness);
    const service = await aService(harness, { created_by_id: user });
    expect((await find(user)).body).toEqual({ type: 'user', context: {} });
    expect((await find(service)).body).toEqual({ type: 'service', context: {} });
    expect((await find(await anOrganisation(harness))).body).toEqual({ type: 'organisation', context: {} });
    expect((await find('36fb0730-6259-4da1-8a80-c8de22ad4246')).body).toEqual({
      type: 'template',
      context: { service_id: 'd6aa2c68-a2d9-4437-ab19-3ae8eb202553' },
    });
    const body = { email_address: 'a@example.org', from_user: user, permissions: '' };
    const { data } = (await harness.admin('POST', `/service/${service}/invite`, body)).body;
    expect((await find(data.id)).body).toEqual({ type: 'service_invite', context: { service_id: service } });
  });

  it('200 for a provider, and for a file sent by email', async () => {
    const { body } = await harness.admin('GET', '/provider-details');
    expect((await find(body.provider_details[0].id)).body).toEqual({ type: 'provider', context: {} });
    const service = await aService(harness);
    const id = newId(harness.clock.now());
    const now = timestamp(harness.clock.now());
    await harness.app.db
      .insertInto('documents')
      .values({
        ...{ id, service_id: service, file_extension: 'txt', mime_type: 'text/plain', size_in_bytes: 1 },
        ...{ available_until: now, created_at: now },
      })
      .execute();
    expect((await find(id)).body).toEqual({ type: 'document', context: { service_id: service } });
  });

  it('200 for a job, and for an upload until it is sent', async () => {
    const service = await aService(harness);
    const job = await aJob(harness, service, await aTemplate(harness, service));
    const now = timestamp(harness.clock.now());
    const anUpload = async (id: string, state: 'checked' | 'sent') => {
      const fields = { id, service_id: service, state, original_file_name: 'a.csv', header: '{}', created_at: now };
      await harness.app.db.insertInto('uploads').values(fields).execute();
      return id;
    };
    await anUpload(job, 'sent');
    const context = { service_id: service };
    expect((await find(job)).body).toEqual({ type: 'job', context });
    const upload = await anUpload(newId(harness.clock.now()), 'checked');
    expect((await find(upload)).body).toEqual({ type: 'upload', context });
  });

  it('400 for an invalid id', async () => {
    expect((await find('x')).body.message).toEqual({ uuid: ['Not a valid UUID.'] });
  });

  it('404 for an unknown id', async () => {
    expect((await find('4f46df42-0000-4cc4-83bb-65ca312f49cc')).body.message).toBe('No result found');
  });
});
