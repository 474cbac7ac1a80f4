import { describe, expect, it } from 'vitest';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const read = async (id: string) => (await admin('GET', `/service/${id}/guest-list`)).body;
const empty = { email_addresses: [], phone_numbers: [] };

describe('GET /service/{id}/guest-list', () => {
  it('200 with two empty lists at first', async () => {
    const id = await aService(harness);
    expect(await admin('GET', `/service/${id}/guest-list`)).toMatchObject({ status: 200, body: empty });
  });

  it('404 for an unknown service', async () => {
    expect((await admin('GET', `/service/${newId(new Date())}/guest-list`)).status).toBe(404);
  });
});

describe('PUT /service/{id}/guest-list', () => {
  it('204; returns the entries exactly as typed and in order', async () => {
    const id = await aService(harness);
    const list = {
      email_addresses: ['Zed@Example.org', 'a@example.org', 'a@example.org'],
      phone_numbers: ['07700 900 460', '+33 6 12 34 56 78', '07700900460'],
    };
    const { status, text } = await admin('PUT', `/service/${id}/guest-list`, list);
    expect([status, text]).toEqual([204, '']);
    expect(await read(id)).toEqual(list);
  });

  it('204 replaces the whole list; a missing field is empty', async () => {
    const id = await aService(harness);
    await admin('PUT', `/service/${id}/guest-list`, {
      email_addresses: ['a@example.org'],
      phone_numbers: ['07700900460'],
    });
    await admin('PUT', `/service/${id}/guest-list`, { email_addresses: ['b@example.org'] });
    expect(await read(id)).toEqual({ email_addresses: ['b@example.org'], phone_numbers: [] });
    expect((await admin('PUT', `/service/${id}/guest-list`)).status).toBe(204);
    expect(await read(id)).toEqual(empty);
  });

  it.each([
    [{ email_addresses: ['nonsense'], phone_numbers: ['07123'] }, '07123'],
    [{ email_addresses: ['a@example.org', 'nonsense'], phone_numbers: ['07700900460'] }, 'nonsense'],
    [{ email_addresses: [''], phone_numbers: [] }, ''],
    [{ email_addresses: [], phone_numbers: ['020 7946 0001'] }, '020 7946 0001'],
    [{ email_addresses: [], phone_numbers: ['a@example.org'] }, 'a@example.org'],
  ])('400 for %o; keeps the old list', async (list, entry) => {
    const id = await aService(harness);
    const old = { email_addresses: ['old@example.org'], phone_numbers: [] };
    await admin('PUT', `/service/${id}/guest-list`, old);
    const { status, body } = await admin('PUT', `/service/${id}/guest-list`, list);
    expect(status).toBe(400);
    expect(body).toEqual({
      result: 'error',
      message: `Invalid guest list: "${entry}" is not a valid email address or phone number`,
    });
    expect(await read(id)).toEqual(old);
  });

  it.each([
    [
      { email_addresses: 'a@example.org', phone_numbers: null },
      {
        email_addresses: ['Not a valid list.'],
        phone_numbers: ['Field may not be null.'],
      },
    ],
    [{ phone_numbers: [7700900460] }, { phone_numbers: ['Not a valid string.'] }],
  ])('400 for %o', async (list, message) => {
    const id = await aService(harness);
    const { status, body } = await admin('PUT', `/service/${id}/guest-list`, list);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown service', async () => {
    const path = `/service/${newId(new Date())}/guest-list`;
    expect((await admin('PUT', path, { phone_numbers: ['07700900460'] })).status).toBe(404);
    expect((await admin('PUT', path, empty)).status).toBe(404);
  });

  it('404 for an unknown service before validating the entries', async () => {
    const wrong = { phone_numbers: ['nobody'], email_addresses: [] };
    expect((await admin('PUT', `/service/${newId(new Date())}/guest-list`, wrong)).status).toBe(404);
  });

  it('204 for as many entries as fit into a request', async () => {
    const id = await aService(harness);
    const email_addresses = Array.from({ length: 40_000 }, (_, index) => `guest-${index}@example.org`);
    expect((await admin('PUT', `/service/${id}/guest-list`, { email_addresses })).status).toBe(204);
    expect((await read(id)).email_addresses).toEqual(email_addresses);
  });

  it('is consistent after concurrent replacements', async () => {
    const id = await aService(harness);
    const lists = ['a', 'b'].map((name) => ({
      email_addresses: [1, 2, 3].map((number) => `${name}${number}@example.org`),
      phone_numbers: [],
    }));
    await Promise.all(lists.map((list) => admin('PUT', `/service/${id}/guest-list`, list)));
    expect(lists).toContainEqual(await read(id));
  });
});
