import { beforeAll, describe, expect, it } from 'vitest';
import { aNotification, anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import type { Status } from '../notification.ts';
import { letterFiles } from '../tasks-for-others.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let key: string;
let template: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  template = await aTemplate(harness, service, { template_type: 'letter' });
});

function letter(status: Status = 'created') {
  return aNotification(harness, service, template, { notification_type: 'letter', status });
}

function get(id: string) {
  return harness.v2('GET', `/v2/notifications/${id}/pdf`, key);
}

describe('GET /v2/notifications/{id}/pdf', () => {
  it.each(['created', 'delivered', 'cancelled', 'validation-failed'] as const)(
    '200 for a letter in %s',
    async (status) => {
      const id = await letter(status);
      await harness.files.put(letterFiles.finished(id), Buffer.from('%PDF-1.7 letter'));
      const response = await get(id);
      expect(response.status).toBe(200);
      expect(response.headers['content-type']).toBe('application/pdf');
      expect(response.headers).not.toHaveProperty('content-disposition');
      expect(response.text).toBe('%PDF-1.7 letter');
    },
  );

  it('200 returns the upload when there is no finished file', async () => {
    const id = await letter('validation-failed');
    await harness.files.put(letterFiles.uploaded(id), Buffer.from('as it came'));
    expect((await get(id)).text).toBe('as it came');
  });

  it.each([
    ['virus-scan-failed', 'BadRequestError', 'File did not pass the virus scan'],
    ['technical-failure', 'BadRequestError', 'PDF not available for letters in status technical-failure'],
    ['pending-virus-check', 'PDFNotReadyError', 'PDF not available yet, try again later'],
  ] as const)('400 for a letter in %s', async (status, error, message) => {
    const id = await letter(status);
    await harness.files.put(letterFiles.uploaded(id), Buffer.from('not to be seen'));
    const response = await get(id);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ status_code: 400, errors: [{ error, message }] });
  });

  it('400 while the file does not exist yet', async () => {
    expect((await get(await letter())).body.errors[0].error).toBe('PDFNotReadyError');
  });

  it('400 when it is not a letter', async () => {
    const sms = await aNotification(harness, service, await aTemplate(harness, service));
    expect((await get(sms)).body.errors).toEqual([
      { error: 'BadRequestError', message: 'Notification is not a letter' },
    ]);
  });

  it('400 for an invalid id', async () => {
    expect((await get('1')).body.errors).toEqual([
      { error: 'ValidationError', message: 'notification_id is not a valid UUID' },
    ]);
  });

  it('404 when it is unknown', async () => {
    const response = await get('4f46df42-f795-4cc4-83bb-65ca312f4900');
    expect(response.status).toBe(404);
    expect(response.body.errors[0].error).toBe('NoResultFound');
  });
});
