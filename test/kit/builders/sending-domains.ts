import { expect } from 'vitest';
import type { FakeDns } from '../fakes/fake-dns.ts';
import type { Answer, Harness } from '../harness.ts';
import { aUser } from './rows.ts';

/** The body of a domain in the admin API, as far as tests need it. */
export interface DomainBody {
  id: string;
  name: string;
  state: string;
  records: { purpose: string; type: string; name: string; value: string }[];
  keys: { id: string; selector: string; state: string; public_key: string }[];
  checks: { name: string; verdict: string; reason: string }[];
}

export async function aPlatformAdmin(harness: Harness): Promise<string> {
  const id = await aUser(harness);
  await harness.app.db.updateTable('users').set({ platform_admin: true }).where('id', '=', id).execute();
  return id;
}

/** Adds a domain as a platform administrator. */
export async function addDomain(harness: Harness, fields: object): Promise<Answer> {
  return harness.admin('POST', '/sending-domain', { created_by_id: await aPlatformAdmin(harness), ...fields });
}

/** Publishes the records that a domain needs, and an MX record. */
export function publish({ zone }: FakeDns, { name, records }: DomainBody): void {
  for (const record of records) zone[`${record.type} ${record.name}`] = [record.value];
  zone[`MX ${name}`] = ['10 mail.example'];
  zone['A mail.example'] = ['192.0.2.7'];
}

/** Checks a domain now. Advances the clock, because a domain can be checked only every 10 seconds. */
export async function check(harness: Harness, id: string): Promise<DomainBody> {
  harness.clock.advance({ seconds: 11 });
  const { status, body } = await harness.admin('POST', `/sending-domain/${id}/check`, {});
  expect(status).toBe(200);
  return body.data;
}

/** Adds a domain, publishes all of its records and checks it. */
export async function aVerifiedDomain(harness: Harness, dns: FakeDns, fields: object): Promise<DomainBody> {
  const { status, body } = await addDomain(harness, fields);
  expect(status).toBe(201);
  publish(dns, body.data);
  const domain = await check(harness, body.data.id);
  expect(['verified', 'warning']).toContain(domain.state);
  return domain;
}
