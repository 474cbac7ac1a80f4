// Every call of the official Node client; prints the responses as JSON.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotifyClient } from 'notifications-node-client';

const { PENNYPOST, API_KEY, SMS_TEMPLATE, EMAIL_TEMPLATE, LETTER_TEMPLATE, LANGUAGES_TEMPLATE, LETTER_PDF } =
  process.env;
const client = new NotifyClient(PENNYPOST, API_KEY);
const personalisation = { name: 'Ada', day: 'Friday' };
const address = { address_line_1: 'Ada Lovelace', address_line_2: '12 St James’s Square', address_line_3: 'SW1Y 4JH' };

async function eventually(call, isGood = () => true) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await call().catch(() => undefined);
    if (response !== undefined && isGood(response)) return response;
    await sleep(200);
  }
  throw new Error(`Never came true: ${call}`);
}

const sms = (await client.sendSms(SMS_TEMPLATE, '07700900123', { personalisation, reference: 'node' })).data;
const email = (await client.sendEmail(EMAIL_TEMPLATE, 'ada@example.org', { personalisation })).data;
const file = client.prepareUpload(Buffer.from('a,b'), { filename: 'figures.csv' });
const withFile = (await client.sendEmail(EMAIL_TEMPLATE, 'ada@example.org', { personalisation: { name: file } })).data;
const letter = (await client.sendLetter(LETTER_TEMPLATE, { personalisation: { ...personalisation, ...address } })).data;
const uploaded = (await client.sendPrecompiledLetter('uploaded by node', readFileSync(LETTER_PDF), 'first')).data;
const fetched = (
  await eventually(
    () => client.getNotificationById(sms.id),
    ({ data }) => data.status === 'delivered',
  )
).data;
const { notifications } = (await client.getNotifications('sms', undefined, 'node')).data;
const { templates } = (await client.getAllTemplates()).data;
const error = await client
  .sendSms(SMS_TEMPLATE, '07700900123', { personalisation: { name: 'Ada' } })
  .catch((thrown) => thrown);
// The clients send no `language`: a value chooses.
const greet = async (language) =>
  (await client.sendSms(LANGUAGES_TEMPLATE, '07700900123', { personalisation: { name: 'Ada', language } })).data.content
    .body;
const startOfPdf = async (id) =>
  (await eventually(() => client.getPdfForLetterNotification(id))).subarray(0, 5).toString();

process.stdout.write(
  JSON.stringify({
    text: sms.content.body,
    email_subject: email.content.subject,
    has_link_to_file: withFile.content.body.includes(`${PENNYPOST}/d/`),
    letter_subject: letter.content.subject,
    uploaded_letter: { reference: uploaded.reference, postage: uploaded.postage },
    fetched: { type: fetched.type, status: fetched.status, body: fetched.body },
    listed: notifications.map(({ id }) => id === sms.id),
    templates: templates.map(({ name }) => name).sort(),
    template: (await client.getTemplateById(EMAIL_TEMPLATE)).data.name,
    first_version: (await client.getTemplateByIdAndVersion(SMS_TEMPLATE, 1)).data.body,
    in_french: await greet('fr-CA'),
    preview_in_welsh: (await client.previewTemplateById(LANGUAGES_TEMPLATE, { name: 'Ada', language: 'cy' })).data.body,
    in_other_language: await greet('pl'),
    preview: (await client.previewTemplateById(SMS_TEMPLATE, personalisation)).data.body,
    received: (await client.getReceivedTexts()).data.received_text_messages.map(({ content }) => content),
    pdf_of_letter: await startOfPdf(letter.id),
    pdf_of_uploaded_letter: await startOfPdf(uploaded.id),
    error: { status: error.response.status, text: JSON.stringify(error.response.data.errors) },
  }),
);
