import { awsSms } from './aws/aws-sms.ts';
import { ses } from './aws/ses.ts';
import { mailgun } from './email/mailgun.ts';
import { postmark } from './email/postmark.ts';
import { sendgrid } from './email/sendgrid.ts';
import { firetext } from './firetext.ts';
import { httpsms } from './httpsms/httpsms.ts';
import { mmg } from './mmg.ts';
import { sandboxEmails, sandboxTexts } from './sandbox.ts';
import { smpp } from './smpp/smpp.ts';
import { smtp } from './smtp/smtp.ts';
import { twilio } from './twilio.ts';
import { vonage } from './vonage.ts';

/** Every provider. Settings, webhooks and the rows of `provider_details` follow from this list. */
export const providers = [
  ...[sandboxTexts, mmg, firetext, twilio, vonage, awsSms, smpp, httpsms],
  ...[sandboxEmails, smtp, ses, postmark, sendgrid, mailgun],
];
