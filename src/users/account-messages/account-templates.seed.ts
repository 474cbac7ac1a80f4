import { english } from '../../language/language.ts';
import type { Languages } from '../../language/languages.ts';
import { formatted, inLanguage, joined, t } from '../../language/text.ts';
import type { Seed } from '../../platform/db/seed.ts';
import type { TemplateVariant } from '../../templates/languages/languages.ts';
import { type SeededText, seedTemplates } from '../../templates/seeded-templates.ts';
import { platformServiceId, platformUserId } from '../platform-user.ts';
import { type AccountTemplate, type AccountText, accountTemplates } from './account-messages.ts';
import { senderTemplates } from './sender-templates.ts';

/**
 * A link, followed by its address for mail programs that do not open links. The spaces inside the brackets keep the closing one out of the
 * address when a program detects addresses in plain text.
 */
function linkTo(words: string, lifetime: string): string[] {
  return [
    formatted(() => `[${words}]( ((url)) )`),
    joined([lifetime, t('If nothing opens, copy this address into your browser:')]),
    '((url))',
  ];
}

/** The texts of the messages to users. To change one, copy the released text to `formerly` first. */
const templates: AccountTemplate[] = [
  {
    id: accountTemplates.smsCode,
    name: 'Sign-in code',
    paragraphs: [t('((verify_code)) is your sign-in code. It works for 30 minutes.')],
  },
  {
    id: accountTemplates.emailCode,
    name: 'Sign-in link',
    subject: t('Sign in'),
    paragraphs: [t('Hello ((name))'), ...linkTo(t('Sign in'), t('The link works once, for 30 minutes.'))],
  },
  {
    id: accountTemplates.emailVerification,
    name: 'Confirm a new account',
    subject: t('Confirm your account'),
    paragraphs: [t('Hello ((name))'), ...linkTo(t('Finish creating your account'), t('The link works for an hour.'))],
  },
  {
    id: accountTemplates.passwordReset,
    name: 'Reset a password',
    subject: t('Reset your password'),
    paragraphs: [
      t('Hello ((user_name))'),
      ...linkTo(t('Choose a new password'), t('The link works for an hour.')),
      t('If you did not ask for it, do nothing: your password stays as it is.'),
    ],
  },
  {
    id: accountTemplates.alreadyRegistered,
    name: 'Already registered',
    subject: t('You already have an account'),
    paragraphs: [
      t('Someone tried to create an account with this address, which already has one.'),
      t('Sign in here: ((signin_url))'),
      t('Forgotten the password? ((forgot_password_url))'),
      t('If it was not you, tell us: ((feedback_url))'),
    ],
  },
  {
    id: accountTemplates.changeEmail,
    name: 'Confirm a new email address',
    subject: t('Confirm your new email address'),
    paragraphs: [
      t('Hello ((name))'),
      ...linkTo(t('Use this address from now on'), t('The link works for an hour.')),
      t('If you did not ask for it, tell us: ((feedback_url))'),
    ],
  },
  {
    id: accountTemplates.emailAddressChanged,
    name: 'Email address changed by a team member',
    subject: t('Your email address was changed'),
    paragraphs: [
      t('Hello ((name))'),
      t('((servicemanagername)) changed the email address of your account to ((email address)).'),
      t('If that is wrong, speak to them.'),
    ],
  },
  {
    id: accountTemplates.mobileNumberChanged,
    name: 'Mobile number changed by a team member',
    paragraphs: [
      t(
        '((servicemanagername)) changed the mobile number of your account to this one. If that is wrong, speak to them.',
      ),
    ],
  },
  {
    id: accountTemplates.serviceInvite,
    name: 'Invitation to a service',
    subject: t('((user_name)) invited you to “((service_name))”'),
    paragraphs: [
      t('((user_name)) invited you to work on the service “((service_name))”.'),
      ...linkTo(t('Join ((service_name))'), t('The link works for two days.')),
    ],
  },
  {
    id: accountTemplates.organisationInvite,
    name: 'Invitation to an organisation',
    subject: t('((user_name)) invited you to “((organisation_name))”'),
    paragraphs: [
      t('((user_name)) invited you to the organisation “((organisation_name))”.'),
      ...linkTo(t('Join ((organisation_name))'), t('The link works for two days.')),
    ],
  },
  {
    id: accountTemplates.serviceLive,
    name: 'A service is live',
    subject: t('((service_name)) is live'),
    paragraphs: [t('Hello ((name))'), t('((service_name)) is live: it can now send to anyone.')],
  },
  {
    id: accountTemplates.joinRequest,
    name: 'Asking to join a service',
    subject: t('((requester_name)) wants to join ((service_name))'),
    paragraphs: [
      t('Hello ((approver_name))'),
      t('((requester_name)) (((requester_email_address))) asks to join ((service_name)).'),
      t('((reason_given??They wrote:))'),
      '((reason))',
      t('Decide here: ((url))'),
    ],
  },
  {
    id: accountTemplates.replyToCheck,
    name: 'Check a reply-to address',
    subject: t('Checking this reply-to address'),
    paragraphs: [
      t('This message was sent to check that this address works as a reply-to address. Nothing else needs to be done.'),
    ],
  },
  {
    id: accountTemplates.previousEmailAddress,
    name: 'Email address changed: to the previous address',
    subject: t('Your email address was changed'),
    paragraphs: [
      t('Hello ((name))'),
      t(
        '((servicemanagername)) changed the email address of your account. You can no longer sign in with this address.',
      ),
      t('If that is wrong, tell us at once: ((support_url))'),
    ],
  },
  {
    id: accountTemplates.previousMobileNumber,
    name: 'Mobile number changed: to the previous number',
    paragraphs: [
      t(
        '((servicemanagername)) changed the mobile number of your account. Sign-in codes no longer go to this number. If that is wrong, tell us at once: ((support_url))',
      ),
    ],
  },
  {
    id: accountTemplates.goLiveRequest,
    name: 'Request to go live: to the organisation',
    subject: t('((service_name)) wants to go live'),
    paragraphs: [
      t('Hello ((name))'),
      t(
        '((requester_name)) (((requester_email_address))) asks ((organisation_name)) to make ((service_name)) live, so that it can send to anyone.',
      ),
      t('Approve or reject the request here:'),
      '((make_service_live_link))',
      t('Reply to this email to ask ((requester_name)) about it. If you need our help: ((support_page_link))'),
    ],
  },
  {
    id: accountTemplates.goLiveReceipt,
    name: 'Request to go live: receipt',
    subject: t('Your request to go live'),
    paragraphs: [
      t('Hello ((name))'),
      t('You asked for ((service_name)) to go live. The request went to these members of ((organisation_name)):'),
      '((organisation_team_member_names))',
      t('If you hear nothing within two working days, ask them.'),
    ],
  },
  {
    id: accountTemplates.goLiveNextSteps,
    name: 'Request to go live: next steps',
    subject: t('Next steps for ((service_name))'),
    paragraphs: ['((body))'],
  },
  {
    id: accountTemplates.goLiveRejected,
    name: 'Request to go live: rejected',
    subject: t('Your request to go live was rejected'),
    paragraphs: [
      t('Hello ((name))'),
      t(
        '((organisation_team_member_name)) of ((organisation_name)) rejected the request for ((service_name)) to go live. They wrote:',
      ),
      '((reason))',
      t('If you have questions, write to ((organisation_team_member_email)).'),
    ],
  },
  {
    id: accountTemplates.agreementSigned,
    name: 'Agreement accepted: to the signer',
    subject: t('You accepted the agreement'),
    paragraphs: [
      t('Hello ((signed_by_name))'),
      t('You accepted the data sharing and financial agreement for ((org_name)).'),
      t('A copy of the agreement is here: ((mou_link))'),
      t('The page of your organisation: ((org_dashboard_link))'),
    ],
  },
  {
    id: accountTemplates.agreementSignedForOther,
    name: 'Agreement accepted on behalf of someone: to the signer',
    subject: t('You accepted the agreement on behalf of ((on_behalf_of_name))'),
    paragraphs: [
      t('Hello ((signed_by_name))'),
      t('You accepted the data sharing and financial agreement for ((org_name)), on behalf of ((on_behalf_of_name)).'),
      t('A copy of the agreement is here: ((mou_link))'),
      t('The page of your organisation: ((org_dashboard_link))'),
    ],
  },
  {
    id: accountTemplates.agreementSignedByOther,
    name: 'Agreement accepted on behalf of someone: to them',
    subject: t('((signed_by_name)) accepted the agreement on your behalf'),
    paragraphs: [
      t('Hello ((on_behalf_of_name))'),
      t('((signed_by_name)) accepted the data sharing and financial agreement for ((org_name)) on your behalf.'),
      t('A copy of the agreement is here: ((mou_link))'),
      t('The page of your organisation: ((org_dashboard_link))'),
    ],
  },
  {
    id: accountTemplates.joinRequestReceipt,
    name: 'Asking to join a service: receipt',
    subject: t('Your request to join ((service_name))'),
    paragraphs: [
      t('Hello ((requester_name))'),
      t('You asked to join ((service_name)). The request went to:'),
      '((service_admin_names))',
      t('If you hear nothing, you can ask again: ((url_ask_to_join_page))'),
    ],
  },
  {
    id: accountTemplates.joinRequestApproved,
    name: 'Asking to join a service: approved',
    subject: t('You can now use ((service_name))'),
    paragraphs: [
      t('Hello ((requester_name))'),
      t('((approver_name)) approved your request to join ((service_name)).'),
      t('Sign in to start: ((dashboard_url))'),
    ],
  },
  {
    id: accountTemplates.securityKeyDeleted,
    name: 'Security key deleted',
    subject: t('A security key of your account was deleted'),
    paragraphs: [
      t('Hello ((name))'),
      t('The security key “((key_name))” was deleted. It no longer signs you in.'),
      t('If you did not do this, change your password and tell us at once: ((support_url))'),
    ],
  },
  {
    id: accountTemplates.operatorRoleChanged,
    name: 'Role of an operator changed: to platform administrators',
    subject: t('((person_name)) is now ((role))'),
    paragraphs: [
      t('Hello ((name))'),
      t(
        '((changed_by_name)) changed the role of ((person_name)) (((person_email_address))): this person is now ((role)).',
      ),
      t('If that is wrong, take the role back at once: ((url))'),
    ],
  },
  ...senderTemplates,
];

export const seedAccountTemplates: Seed = (tx, now, _, languages) =>
  seedTemplates(
    tx,
    templates.map(({ id, name, formerly = [], ...text }) => ({
      ...storedText(text),
      translations: translationsOf(text, languages),
      id,
      name,
      service_id: platformServiceId,
      template_type: text.subject === undefined ? 'sms' : 'email',
      process_type: 'priority',
      created_by_id: platformUserId,
      formerly: formerly.map((former) => storedText(former)),
    })),
    now,
  );

function storedText({ subject, paragraphs }: AccountText, language = english): SeededText {
  return inLanguage(language, () => ({
    subject: subject === undefined ? null : String(subject),
    content: paragraphs.join('\n\n'),
  }));
}

/** Returns the translations into the languages that people can choose; omits languages without one. */
function translationsOf(text: AccountText, { offered }: Languages): TemplateVariant[] {
  const { content } = storedText(text);
  return offered
    .filter(({ tag }) => tag !== english.tag)
    .map((language) => ({ language: language.tag, ...storedText(text, language) }))
    .filter((translation) => translation.content !== content);
}
