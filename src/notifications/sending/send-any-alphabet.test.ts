import { beforeAll, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { storedMessage } from '../../../test/kit/builders/sends.ts';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let key: string;
let template_id: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, { content: 'Привет ((name)) 🎉' });
});

const send = async (name: string) => {
  const request = { phone_number: '07700900123', template_id, personalisation: { name } };
  const { body } = await harness.v2('POST', '/v2/notifications/sms', key, request);
  await harness.deliver();
  return { text: body.content.body, units: (await storedMessage(harness, body.id))?.billable_units };
};

it('a service with the permission keeps all letters, and pays for shorter parts', async () => {
  expect(await send('Ада')).toEqual({ text: '?????? ??? ?', units: 1 });
  const permissions = ['sms', 'email', 'letter', 'keep_characters'];
  expect((await harness.admin('POST', `/service/${service}`, { permissions })).status).toBe(200);
  expect(await send('Ада')).toEqual({ text: 'Привет Ада 🎉', units: 1 });
  // 70 units in one part, 67 in each of several: the pair that would straddle the end of the first moves to the second.
  expect(await send('ж'.repeat(60))).toMatchObject({ units: 1 });
  expect(await send('ж'.repeat(61))).toMatchObject({ units: 2 });
  const draft = { template_type: 'sms', content: 'ж'.repeat(71) };
  const preview = await harness.admin('POST', `/service/${service}/template/preview-draft`, draft);
  expect(preview.body.data).toMatchObject({ encoding: 'ucs2', character_count: 71, fragments: 2 });
  await harness.admin('POST', `/service/${service}`, { permissions: ['sms', 'email', 'letter'] });
  expect((await send('Ада')).text).toBe('?????? ??? ?');
});
