import { beforeAll, describe, expect, it } from 'vitest';
import { anOrganisation, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { sentBy } from '../../../test/kit/world/account-messages.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { urls: { admin: 'https://admin.example' } } });
const { admin } = harness;

let signer: string;
beforeAll(async () => {
  signer = await aUser(harness, { name: 'Sam Signer', email_address: 'sam@example.org' });
});

const change = (id: string, body: object) => sentBy(harness, () => admin('POST', `/organisations/${id}`, body));

const values = (id: string, organisation: { name: string; crown: boolean }, onBehalfOf = '') => ({
  mou_link: `https://admin.example/agreement/${organisation.crown ? 'crown' : 'non-crown'}.pdf`,
  org_name: organisation.name,
  org_dashboard_link: `https://admin.example/organisations/${id}`,
  signed_by_name: 'Sam Signer',
  on_behalf_of_name: onBehalfOf,
});

describe('POST /organisations/{id} with a signed agreement', () => {
  it('204; sends the signer a receipt', async () => {
    const crown = { name: 'Crown body', crown: true };
    const id = await anOrganisation(harness, crown);
    const { answer, sent } = await change(id, { agreement_signed: true, agreement_signed_by_id: signer });
    expect(answer.status).toBe(204);
    expect(sent).toEqual([
      {
        template_id: '4fd2e43c-309b-4e50-8fb8-1955852d9d71',
        recipient: 'sam@example.org',
        reply_to_text: null,
        personalisation: values(id, crown),
      },
    ]);
  });

  it('204; notifies both people when signed on behalf of another', async () => {
    const council = { name: 'Council', crown: false };
    const id = await anOrganisation(harness, council);
    const body = {
      agreement_signed: true,
      agreement_signed_by_id: signer,
      agreement_signed_on_behalf_of_name: 'Olive Other',
      agreement_signed_on_behalf_of_email_address: 'olive@example.org',
    };
    const { sent } = await change(id, body);
    const personalisation = values(id, council, 'Olive Other');
    expect(sent).toMatchObject([
      { template_id: '522b6657-5ca5-4368-a294-6b527703bd0b', recipient: 'olive@example.org', personalisation },
      { template_id: 'c20206d5-bf03-4002-9a90-37d5032d9e84', recipient: 'sam@example.org', personalisation },
    ]);
    // The names were set earlier; this request signs.
    const later = await change(id, { agreement_signed: true, agreement_signed_by_id: signer });
    expect(later.sent.map(({ recipient }) => recipient)).toEqual(['olive@example.org', 'sam@example.org']);
  });

  it.each<[Record<string, unknown>]>([
    [{ agreement_signed: true }],
    [{ agreement_signed: true, agreement_signed_by_id: null }],
    [{ agreement_signed: false, agreement_signed_by_id: 'signer' }],
    [{ agreement_signed_by_id: 'signer' }],
    [{ agreement_signed: true, agreement_signed_by_id: 'signer', permissions: [] }],
    [{ notes: 'x' }],
  ])('204 without a message for %j', async (body) => {
    const id = await anOrganisation(harness);
    const by = body.agreement_signed_by_id === 'signer' ? { agreement_signed_by_id: signer } : {};
    const { answer, sent } = await change(id, { ...body, ...by });
    expect(answer.status).toBe(204);
    expect(sent).toEqual([]);
  });

  it.each([
    [
      { agreement_signed_by_id: '4f46df42-0000-4cc4-83bb-65ca312f49cc' },
      { agreement_signed_by_id: ['No result found'] },
    ],
    [
      { agreement_signed_on_behalf_of_email_address: 'nonsense' },
      { agreement_signed_on_behalf_of_email_address: ['Not a valid email address'] },
    ],
  ])('400 for %j; changes nothing', async (body, message) => {
    const id = await anOrganisation(harness);
    const { answer, sent } = await change(id, { agreement_signed: true, agreement_signed_by_id: signer, ...body });
    expect(answer).toMatchObject({ status: 400, body: { result: 'error', message } });
    expect(sent).toEqual([]);
    expect((await admin('GET', `/organisations/${id}`)).body.agreement_signed).toBeNull();
  });
});
