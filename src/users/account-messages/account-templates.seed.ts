import type { Seed } from '../../platform/db/seed.ts';
import { type SeededText, seedTemplates } from '../../templates/seeded-templates.ts';
import { platformServiceId, platformUserId } from '../platform-user.ts';
import { type AccountTemplate, type AccountText, accountTemplates } from './account-messages.ts';
import { senderTemplates } from './sender-templates.ts';

/**
 * A link with words, and its address for mail programs that open no links. The spaces around the address in the link keep
 * the bracket out of it for programs that look for an address in the text.
 */
function linkTo(words: string, lifetime: string): string[] {
  return [`[${words}]( ((url)) )`, `${lifetime} If nothing opens, copy this address into your browser:`, '((url))'];
}

/** The texts of the messages to users. To change one, copy the released text to `formerly` first. */
const templates: AccountTemplate[] = [
  {
    id: accountTemplates.smsCode,
    name: 'Sign-in code',
    paragraphs: ['((verify_code)) is your sign-in code. It works for 30 minutes.'],
  },
  {
    id: accountTemplates.emailCode,
    name: 'Sign-in link',
    subject: 'Sign in',
    paragraphs: ['Hello ((name))', ...linkTo('Sign in', 'The link works once, for 30 minutes.')],
    formerly: [
      {
        subject: 'Sign in',
        paragraphs: [
          'Hello ((name))',
          'Open this link to sign in:',
          '((url))',
          'The link works for 30 minutes and only once.',
        ],
      },
    ],
  },
  {
    id: accountTemplates.emailVerification,
    name: 'Confirm a new account',
    subject: 'Confirm your account',
    paragraphs: ['Hello ((name))', ...linkTo('Finish creating your account', 'The link works for an hour.')],
    formerly: [
      {
        subject: 'Confirm your account',
        paragraphs: [
          'Hello ((name))',
          'Open this link to finish creating your account:',
          '((url))',
          'The link works for an hour.',
        ],
      },
    ],
  },
  {
    id: accountTemplates.passwordReset,
    name: 'Reset a password',
    subject: 'Reset your password',
    paragraphs: [
      'Hello ((user_name))',
      ...linkTo('Choose a new password', 'The link works for an hour.'),
      'If you did not ask for it, do nothing: your password stays as it is.',
    ],
    formerly: [
      {
        subject: 'Reset your password',
        paragraphs: [
          'Hello ((user_name))',
          'Open this link to choose a new password:',
          '((url))',
          'The link works for an hour. If you did not ask for it, do nothing: your password stays as it is.',
        ],
      },
    ],
  },
  {
    id: accountTemplates.alreadyRegistered,
    name: 'Already registered',
    subject: 'You already have an account',
    paragraphs: [
      'Someone tried to create an account with this address, which already has one.',
      'Sign in here: ((signin_url))',
      'Forgotten the password? ((forgot_password_url))',
      'If it was not you, tell us: ((feedback_url))',
    ],
  },
  {
    id: accountTemplates.changeEmail,
    name: 'Confirm a new email address',
    subject: 'Confirm your new email address',
    paragraphs: [
      'Hello ((name))',
      ...linkTo('Use this address from now on', 'The link works for an hour.'),
      'If you did not ask for it, tell us: ((feedback_url))',
    ],
    formerly: [
      {
        subject: 'Confirm your new email address',
        paragraphs: [
          'Hello ((name))',
          'Open this link to use this address from now on:',
          '((url))',
          'If you did not ask for it, tell us: ((feedback_url))',
        ],
      },
    ],
  },
  {
    id: accountTemplates.emailAddressChanged,
    name: 'Email address changed by a team member',
    subject: 'Your email address was changed',
    paragraphs: [
      'Hello ((name))',
      '((servicemanagername)) changed the email address of your account to ((email address)).',
      'If that is wrong, speak to them.',
    ],
  },
  {
    id: accountTemplates.mobileNumberChanged,
    name: 'Mobile number changed by a team member',
    paragraphs: [
      '((servicemanagername)) changed the mobile number of your account to this one. If that is wrong, speak to them.',
    ],
  },
  {
    id: accountTemplates.serviceInvite,
    name: 'Invitation to a service',
    subject: '((user_name)) invited you to “((service_name))”',
    paragraphs: [
      '((user_name)) invited you to work on the service “((service_name))”.',
      ...linkTo('Join ((service_name))', 'The link works for two days.'),
    ],
    formerly: [
      {
        subject: '((user_name)) invited you to ((service_name))',
        paragraphs: [
          '((user_name)) invited you to work on ((service_name)).',
          'Open this link to join:',
          '((url))',
          'The link works for two days.',
        ],
      },
    ],
  },
  {
    id: accountTemplates.organisationInvite,
    name: 'Invitation to an organisation',
    subject: '((user_name)) invited you to “((organisation_name))”',
    paragraphs: [
      '((user_name)) invited you to the organisation “((organisation_name))”.',
      ...linkTo('Join ((organisation_name))', 'The link works for two days.'),
    ],
    formerly: [
      {
        subject: '((user_name)) invited you to ((organisation_name))',
        paragraphs: [
          '((user_name)) invited you to the organisation ((organisation_name)).',
          'Open this link to join:',
          '((url))',
          'The link works for two days.',
        ],
      },
    ],
  },
  {
    id: accountTemplates.serviceLive,
    name: 'A service is live',
    subject: '((service_name)) is live',
    paragraphs: ['Hello ((name))', '((service_name)) is live: it can now send to anyone.'],
  },
  {
    id: accountTemplates.joinRequest,
    name: 'Asking to join a service',
    subject: '((requester_name)) wants to join ((service_name))',
    paragraphs: [
      'Hello ((approver_name))',
      '((requester_name)) (((requester_email_address))) asks to join ((service_name)).',
      '((reason_given??They wrote:))',
      '((reason))',
      'Decide here: ((url))',
    ],
  },
  {
    id: accountTemplates.replyToCheck,
    name: 'Check a reply-to address',
    subject: 'Checking this reply-to address',
    paragraphs: [
      'This message was sent to check that this address works as a reply-to address. Nothing else needs to be done.',
    ],
  },
  {
    id: accountTemplates.previousEmailAddress,
    name: 'Email address changed: to the previous address',
    subject: 'Your email address was changed',
    paragraphs: [
      'Hello ((name))',
      '((servicemanagername)) changed the email address of your account. You can no longer sign in with this address.',
      'If that is wrong, tell us at once: ((support_url))',
    ],
  },
  {
    id: accountTemplates.previousMobileNumber,
    name: 'Mobile number changed: to the previous number',
    paragraphs: [
      '((servicemanagername)) changed the mobile number of your account. Sign-in codes no longer go to this number. If that is wrong, tell us at once: ((support_url))',
    ],
  },
  {
    id: accountTemplates.goLiveRequest,
    name: 'Request to go live: to the organisation',
    subject: '((service_name)) wants to go live',
    paragraphs: [
      'Hello ((name))',
      '((requester_name)) (((requester_email_address))) asks ((organisation_name)) to make ((service_name)) live, so that it can send to anyone.',
      'Approve or reject the request here:',
      '((make_service_live_link))',
      'Reply to this email to ask ((requester_name)) about it. If you need our help: ((support_page_link))',
    ],
  },
  {
    id: accountTemplates.goLiveReceipt,
    name: 'Request to go live: receipt',
    subject: 'Your request to go live',
    paragraphs: [
      'Hello ((name))',
      'You asked for ((service_name)) to go live. The request went to these members of ((organisation_name)):',
      '((organisation_team_member_names))',
      'If you hear nothing within two working days, ask them.',
    ],
  },
  {
    id: accountTemplates.goLiveNextSteps,
    name: 'Request to go live: next steps',
    subject: 'Next steps for ((service_name))',
    paragraphs: ['((body))'],
  },
  {
    id: accountTemplates.goLiveRejected,
    name: 'Request to go live: rejected',
    subject: 'Your request to go live was rejected',
    paragraphs: [
      'Hello ((name))',
      '((organisation_team_member_name)) of ((organisation_name)) rejected the request for ((service_name)) to go live. They wrote:',
      '((reason))',
      'If you have questions, write to ((organisation_team_member_email)).',
    ],
  },
  {
    id: accountTemplates.agreementSigned,
    name: 'Agreement accepted: to the signer',
    subject: 'You accepted the agreement',
    paragraphs: [
      'Hello ((signed_by_name))',
      'You accepted the data sharing and financial agreement for ((org_name)).',
      'A copy of the agreement is here: ((mou_link))',
      'The page of your organisation: ((org_dashboard_link))',
    ],
  },
  {
    id: accountTemplates.agreementSignedForOther,
    name: 'Agreement accepted on behalf of someone: to the signer',
    subject: 'You accepted the agreement on behalf of ((on_behalf_of_name))',
    paragraphs: [
      'Hello ((signed_by_name))',
      'You accepted the data sharing and financial agreement for ((org_name)), on behalf of ((on_behalf_of_name)).',
      'A copy of the agreement is here: ((mou_link))',
      'The page of your organisation: ((org_dashboard_link))',
    ],
  },
  {
    id: accountTemplates.agreementSignedByOther,
    name: 'Agreement accepted on behalf of someone: to them',
    subject: '((signed_by_name)) accepted the agreement on your behalf',
    paragraphs: [
      'Hello ((on_behalf_of_name))',
      '((signed_by_name)) accepted the data sharing and financial agreement for ((org_name)) on your behalf.',
      'A copy of the agreement is here: ((mou_link))',
      'The page of your organisation: ((org_dashboard_link))',
    ],
  },
  {
    id: accountTemplates.joinRequestReceipt,
    name: 'Asking to join a service: receipt',
    subject: 'Your request to join ((service_name))',
    paragraphs: [
      'Hello ((requester_name))',
      'You asked to join ((service_name)). The request went to:',
      '((service_admin_names))',
      'If you hear nothing, you can ask again: ((url_ask_to_join_page))',
    ],
  },
  {
    id: accountTemplates.joinRequestApproved,
    name: 'Asking to join a service: approved',
    subject: 'You can now use ((service_name))',
    paragraphs: [
      'Hello ((requester_name))',
      '((approver_name)) approved your request to join ((service_name)).',
      'Sign in to start: ((dashboard_url))',
    ],
  },
  {
    id: accountTemplates.securityKeyDeleted,
    name: 'Security key deleted',
    subject: 'A security key of your account was deleted',
    paragraphs: [
      'Hello ((name))',
      'The security key “((key_name))” was deleted. It no longer signs you in.',
      'If you did not do this, change your password and tell us at once: ((support_url))',
    ],
  },
  {
    id: accountTemplates.operatorRoleChanged,
    name: 'Role of an operator changed: to platform administrators',
    subject: '((person_name)) is now ((role))',
    paragraphs: [
      'Hello ((name))',
      '((changed_by_name)) changed the role of ((person_name)) (((person_email_address))): this person is now ((role)).',
      'If that is wrong, take the role back at once: ((url))',
    ],
  },
  ...senderTemplates,
];

export const seedAccountTemplates: Seed = (tx, now) =>
  seedTemplates(
    tx,
    templates.map(({ id, name, formerly = [], ...text }) => ({
      ...storedText(text),
      id,
      name,
      service_id: platformServiceId,
      template_type: text.subject === undefined ? 'sms' : 'email',
      process_type: 'priority',
      created_by_id: platformUserId,
      formerly: formerly.map(storedText),
    })),
    now,
  );

function storedText({ subject, paragraphs }: AccountText): SeededText {
  return { subject: subject ?? null, content: paragraphs.join('\n\n') };
}
