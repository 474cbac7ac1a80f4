import { invalid } from '../../platform/failure.ts';
import { parseEmailAddress } from '../../recipients/email-address.ts';
import { parsePhoneNumber } from '../../recipients/phone-number.ts';
import { emailAddressText, phoneNumberTexts } from '../../recipients/recipient-texts.ts';
import { storeTestTemplate } from '../../templates/template-drafts.ts';
import { sendEmail, sendSms } from '../sending/send.ts';
import type { SendDeps } from '../sending/send-context.ts';
import { refuseIfDailyLimitIsReached, refuseIfValuesAreMissing } from '../sending/send-rules.ts';
import { oneOffContext } from './one-off.ts';

interface Writer {
  id: string;
  email_address: string;
  mobile_number: string | null;
}

type Draft = Parameters<typeof storeTestTemplate>[3];

/** Sends a text that is not saved to the person who writes it: a message like any other, with its rules, limits and costs. */
export async function sendDraftToWriter(
  app: SendDeps,
  serviceId: string,
  writer: Writer,
  draft: Draft,
  personalisation: Record<string, unknown>,
): Promise<{ id: string; to: string }> {
  const context = await oneOffContext(app, serviceId, writer.id);
  if (draft.template_type === 'letter') throw invalid('A letter cannot be sent as a test: download its PDF');
  refuseIfDailyLimitIsReached(context, draft.template_type);
  if (draft.template_type === 'sms') {
    if (writer.mobile_number === null) throw invalid('Your account has no mobile number: add one in Your account');
    const parsed = parsePhoneNumber(writer.mobile_number);
    if (!parsed.ok) throw invalid(phoneNumberTexts[parsed.reason]);
    const template = await storeTestTemplate(app, serviceId, writer.id, draft);
    refuseIfValuesAreMissing(template, personalisation);
    const request = { template_id: template.row.id, personalisation, phone_number: writer.mobile_number };
    const sms = { request, number: parsed.number, scheduled_for: null };
    const { response } = await sendSms(app, { ...context, template }, sms);
    return { id: response.id, to: writer.mobile_number };
  }
  const parsed = parseEmailAddress(writer.email_address);
  if (!parsed.ok) throw invalid(emailAddressText);
  const template = await storeTestTemplate(app, serviceId, writer.id, draft);
  const request = { template_id: template.row.id, personalisation, email_address: writer.email_address };
  const { response } = await sendEmail(app, { ...context, template }, { request, ...parsed, scheduled_for: null });
  return { id: response.id, to: writer.email_address };
}
