import { awsSms } from './aws/aws-sms.ts';
import { ses } from './aws/ses.ts';
import { mailgun } from './email/mailgun.ts';
import { postmark } from './email/postmark.ts';
import { sendgrid } from './email/sendgrid.ts';
import { httpsms } from './httpsms/httpsms.ts';
import { sandboxEmails, sandboxTexts } from './sandbox.ts';
import { smpp } from './smpp/smpp.ts';
import { firetext } from './sms/firetext.ts';
import { mmg } from './sms/mmg.ts';
import { twilio } from './sms/twilio.ts';
import { vonage } from './sms/vonage.ts';
import { smtp } from './smtp/smtp.ts';

/** Every provider. Settings, webhooks and the rows of `provider_details` derive from this list. */
export const providers = [
  ...[sandboxTexts, mmg, firetext, twilio, vonage, awsSms, smpp, httpsms],
  ...[sandboxEmails, smtp, ses, postmark, sendgrid, mailgun],
];
