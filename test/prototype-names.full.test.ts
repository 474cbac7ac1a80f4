import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, anOrganisation, aService, aTemplate } from './kit/builders/rows.ts';
import { adminToken, useHarness } from './kit/harness.ts';

/** Every object has these properties, also one used as a lookup table. JSON can set them as own properties. */
const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const post = (url: string, payload: string) => harness.request({ method: 'POST', url, payload });
let service: string;
let key: string;
let template: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  template = await aTemplate(harness, service, { content: 'Hello ((name)) ((constructor))' });
});

describe.each(names)('%s', (name) => {
  const object = `{"${name}":1}`;

  it('403 as the type or the version of an SNS envelope', async () => {
    const rest = '"Message":"x","Signature":"x","SigningCertURL":"https://sns.eu-west-2.amazonaws.com/x.pem"';
    const url = '/notifications/email/ses';
    expect((await post(url, `{"Type":"${name}","SignatureVersion":"1",${rest}}`)).status).toBe(403);
    expect((await post(url, `{"Type":"Notification","SignatureVersion":"${name}",${rest}}`)).status).toBe(403);
    const odd = `{"Type":"Notification","SignatureVersion":"1",${rest.replace('"x"', object)}}`;
    expect((await post(url, odd)).status).toBe(403);
  });

  it('200 as a gateway’s status, which is then unknown', async () => {
    const sent = await harness.v2('POST', '/v2/notifications/sms', key, {
      phone_number: '07700900001',
      template_id: template,
      personalisation: { name: 'Ada', constructor: 'x' },
    });
    expect(sent.status).toBe(201);
    await harness.app.db
      .updateTable('notifications')
      .set({ status: 'sending' })
      .where('id', '=', sent.body.id)
      .execute();
    for (const status of [`"${name}"`, object]) {
      const response = await post('/notifications/sms/mmg', `{"status":${status},"CID":"${sent.body.id}"}`);
      expect(response.body).toEqual({ result: 'success' });
    }
    expect((await post('/notifications/sms/mmg', `{"status":"3","CID":${object}}`)).status).toBe(200);
    const form = `{"status":${object},"code":${object},"reference":${object}}`;
    expect((await post('/notifications/sms/firetext', form)).status).toBe(200);
  });

  it('is ignored as a field of a service or an organisation', async () => {
    const headers = { authorization: `Bearer ${adminToken(harness.clock)}` };
    const change = (url: string) => harness.request({ method: 'POST', url, headers, payload: object });
    expect((await change(`/service/${service}`)).status).toBeLessThan(500);
    expect((await change(`/organisations/${await anOrganisation(harness)}`)).status).toBeLessThan(500);
  });

  it('400 for a placeholder value that is not text', async () => {
    const request = `{"phone_number":"07700900001","template_id":"${template}","personalisation":{"name":${object}}}`;
    const headers = { authorization: `Bearer ${key}` };
    const response = await harness.request({ method: 'POST', url: '/v2/notifications/sms', headers, payload: request });
    expect(response.status).toBe(400);
  });
});
