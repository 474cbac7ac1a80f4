import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ config: { sms: { protectedSenderIds: ['My Bank', 'Post'] } } });
const check = (query: string) => harness.admin('GET', `/protected-sender-id/check${query}`);

describe('GET /protected-sender-id/check', () => {
  it.each([
    ['My Bank', true],
    ['MYBANK', true],
    ['my-bank', true],
    ['post', true],
    ['Postman', false],
    ['', false],
  ])('200 for %j: %s', async (sender, expected) => {
    const response = await check(`?sender_id=${encodeURIComponent(sender)}`);
    expect(response.status).toBe(200);
    expect(response.text).toBe(String(expected));
  });

  it('400 without a sender', async () => {
    expect((await check('')).body.message).toEqual({ sender_id: ['Missing data for required field.'] });
  });
});
