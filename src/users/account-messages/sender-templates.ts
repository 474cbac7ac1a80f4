import { t } from '../../language/text.ts';
import { type AccountTemplate, accountTemplates } from './account-messages.ts';

/** Messages to managers of a service or an organisation about its sending domain, pauses of bulk sending, and limits. */
export const senderTemplates: AccountTemplate[] = [
  {
    id: accountTemplates.domainVerified,
    name: 'Sending domain: verified',
    subject: t('Emails now come from ((domain))'),
    paragraphs: [
      t('Hello ((name))'),
      t('We found all the records of ((domain)) that we need. Emails of ((owner_name)) now come from this domain.'),
      t('Leave the records in place. We check them every few hours and tell you if one is missing: ((url))'),
    ],
  },
  {
    id: accountTemplates.domainFailing,
    name: 'Sending domain: a record is wrong',
    subject: t('A record of ((domain)) is wrong'),
    paragraphs: [
      t('Hello ((name))'),
      t('Emails of ((owner_name)) come from ((domain)). Something that they need is missing or wrong:'),
      '((problems))',
      t(
        'Emails still come from this domain. If this goes on for 24 hours, they will not. Ask the people who run your DNS to put it right.',
      ),
      t('What we found and what we expected: ((url))'),
    ],
  },
  {
    id: accountTemplates.domainSuspended,
    name: 'Sending domain: suspended',
    subject: t('Emails no longer come from ((domain))'),
    paragraphs: [
      t('Hello ((name))'),
      t(
        'We cannot send emails of ((owner_name)) from ((domain)), because something that they need is missing or wrong:',
      ),
      '((problems))',
      t(
        '((effect)) until the records are right again. Ask the people who run your DNS to put them right, then check the domain: ((url))',
      ),
    ],
  },
  {
    id: accountTemplates.domainRetired,
    name: 'Sending domain: retired before it was verified',
    subject: t('((domain)) was not verified'),
    paragraphs: [
      t('Hello ((name))'),
      t(
        'We no longer check ((domain)) for ((owner_name)), because ((reason)). Your emails come from the same address as before.',
      ),
      t('You can add the domain again: ((url))'),
    ],
  },
  {
    id: accountTemplates.sendingPaused,
    name: 'Sending to many: paused',
    subject: t('Sending to many is paused: ((service_name))'),
    paragraphs: [
      t('Hello ((name))'),
      t(
        '((what_happened)). To protect the reputation of every service, ((service_name)) cannot send emails to files and lists for now. Emails to one person, texts and letters go on.',
      ),
      t('Remove the addresses that bounced from your list. Then lift the pause: ((url))'),
      t(
        '((offer_suppression??Keep a suppression list, on the same page: we then stop sending to addresses that bounce.))',
      ),
    ],
  },
  {
    id: accountTemplates.sendingWarning,
    name: 'Sending to many: warning',
    subject: t('Too many emails bounce or are reported as spam: ((service_name))'),
    paragraphs: [
      t('Hello ((name))'),
      t(
        '((what_happened)). If more do, mailbox providers refuse the emails of every service, and sending to files and lists can be paused.',
      ),
      t('Remove those addresses from your list. What we measured: ((url))'),
      t(
        '((offer_suppression??Keep a suppression list, on the same page: we then stop sending to addresses that bounce.))',
      ),
    ],
  },
  {
    id: accountTemplates.limitNear,
    name: 'Limit: nearly reached',
    subject: t('((owner_name)) has nearly reached its limit of ((messages)) for ((period))'),
    paragraphs: [
      t('Hello ((name))'),
      t(
        '((owner_name)) has used ((used)) of the ((limit)) ((messages)) that it can send ((period)). When all are used, more are refused until ((end)).',
      ),
      t('If you need to send more, ask the people who run this Pennypost to raise the limit. What is left: ((url))'),
    ],
  },
  {
    id: accountTemplates.limitReached,
    name: 'Limit: reached',
    subject: t('((owner_name)) can send no more ((messages)) ((period))'),
    paragraphs: [
      t('Hello ((name))'),
      t(
        '((owner_name)) has used ((used)) of the ((limit)) ((messages)) that it can send ((period)). More are refused until ((end)).',
      ),
      t('If you need to send more, ask the people who run this Pennypost to raise the limit: ((url))'),
    ],
  },
];
