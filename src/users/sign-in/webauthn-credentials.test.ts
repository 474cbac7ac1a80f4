import { describe, expect, it } from 'vitest';
import { aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-0000-4cc4-83bb-65ca312f49cc';
const notFound = { result: 'error', message: 'No result found' };
const missing = 'Missing data for required field.';
const key = { name: 'Blue key', credential_data: 'ABC123', registration_response: 'DEF456' };

const add = (user: string, body: unknown = key) => harness.admin('POST', `/user/${user}/webauthn`, body);
const list = (user: string) => harness.admin('GET', `/user/${user}/webauthn`);

describe('security keys of a user', () => {
  it('201 when adding, 200 when listing', async () => {
    const user = await aUser(harness);
    expect((await list(user)).body).toEqual({ data: [] });
    const response = await add(user);
    expect(response.status).toBe(201);
    expect(response.body.data).toEqual({
      id: response.body.data.id,
      user_id: user,
      name: 'Blue key',
      credential_data: 'ABC123',
      created_at: '2026-11-15T12:00:00.000000Z',
      updated_at: null,
      logged_in_at: null,
    });
    expect((await list(user)).body).toEqual({ data: [response.body.data] });
  });

  it.each([
    [{}, { name: [missing], credential_data: [missing], registration_response: [missing] }],
    [{ ...key, name: '' }, { name: ['Shorter than minimum length 1.'] }],
    [{ ...key, extra: 1 }, { _schema: ['Unknown field name extra'] }],
  ])('400 for %j', async (body, message) => {
    const response = await add(await aUser(harness), body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message });
  });

  it('200 when renaming', async () => {
    const user = await aUser(harness);
    const { id } = (await add(user)).body.data;
    const response = await harness.admin('POST', `/user/${user}/webauthn/${id}`, { name: 'Red key' });
    expect(response.status).toBe(200);
    expect(response.body.data).toMatchObject({ id, name: 'Red key', updated_at: '2026-11-15T12:00:00.000000Z' });
  });

  it('204 when deleting, 400 for the last one', async () => {
    const user = await aUser(harness);
    const [first, second] = [(await add(user)).body.data.id, (await add(user)).body.data.id];
    expect((await harness.admin('DELETE', `/user/${user}/webauthn/${first}`)).status).toBe(204);
    const response = await harness.admin('DELETE', `/user/${user}/webauthn/${second}`);
    expect(response.status).toBe(400);
    expect(response.body.message).toBe('Cannot delete last remaining webauthn credential for user');
    expect((await list(user)).body.data).toHaveLength(1);
  });

  it('keeps one of two under concurrent deletion', async () => {
    const user = await aUser(harness);
    const ids = [(await add(user)).body.data.id, (await add(user)).body.data.id];
    const responses = await Promise.all(ids.map((id) => harness.admin('DELETE', `/user/${user}/webauthn/${id}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 400]);
  });

  it('404 for another user’s key', async () => {
    const [user, other] = [await aUser(harness), await aUser(harness)];
    await add(user);
    const { id } = (await add(other)).body.data;
    expect((await harness.admin('POST', `/user/${user}/webauthn/${id}`, { name: 'x' })).body).toEqual(notFound);
    expect((await harness.admin('DELETE', `/user/${user}/webauthn/${id}`)).body).toEqual(notFound);
  });

  it('404 for an unknown user', async () => {
    for (const response of [
      await list(unknown),
      await add(unknown, {}),
      await harness.admin('POST', `/user/${unknown}/webauthn/${unknown}`, {}),
      await harness.admin('DELETE', `/user/${unknown}/webauthn/${unknown}`),
    ]) {
      expect(response.status).toBe(404);
      expect(response.body).toEqual(notFound);
    }
  });
});
