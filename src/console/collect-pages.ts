import type { ConsoleApp } from './console-app.ts';
import { type DeclaredPage, type PageModule, Pages } from './page.ts';
import { accountPages } from './pages/account/account.pages.tsx';
import { devicePages } from './pages/account/devices.pages.tsx';
import { languageAndTimePages } from './pages/account/language-and-time.pages.tsx';
import { newSecurityKeyPages } from './pages/account/new-security-key.pages.tsx';
import { profilePages } from './pages/account/profile.pages.tsx';
import { securityKeyAccountPages } from './pages/account/security-keys.pages.tsx';
import { themePages } from './pages/account/theme.pages.tsx';
import { canWeSendPages } from './pages/can-we-send/can-we-send.pages.tsx';
import { contactListPages } from './pages/contact-lists/contact-lists.pages.tsx';
import { fileDownloadPages } from './pages/files/file-downloads.pages.ts';
import { filePages } from './pages/files/files.pages.tsx';
import { newFilePages } from './pages/files/new-file.pages.tsx';
import { findPages } from './pages/find/find.pages.tsx';
import { goLiveDecisionPages } from './pages/going-live/decision.pages.tsx';
import { goingLivePages } from './pages/going-live/going-live.pages.tsx';
import { homePages } from './pages/home/home.pages.tsx';
import { monthsPages } from './pages/home/months.pages.tsx';
import { callbackPages } from './pages/integration/callbacks.pages.tsx';
import { guestListPages } from './pages/integration/guest-list.pages.tsx';
import { keyPages } from './pages/integration/keys.pages.tsx';
import { refusedPages } from './pages/integration/refused.pages.tsx';
import { smtpPages } from './pages/integration/smtp.pages.tsx';
import { smtpTemplatePages } from './pages/integration/smtp-template.pages.tsx';
import { invitationPages } from './pages/invitations/invitations.pages.tsx';
import { messagePages } from './pages/messages/message.pages.tsx';
import { messagesPages } from './pages/messages/messages.pages.tsx';
import { statusHelpPages } from './pages/messages/statuses.pages.tsx';
import { auditPages } from './pages/operator/audit/audit.pages.tsx';
import { brandPoolPages } from './pages/operator/brands/brand-pools.pages.tsx';
import { emailBrandPages } from './pages/operator/brands/email-brands.pages.tsx';
import { letterBrandPages } from './pages/operator/brands/letter-brands.pages.tsx';
import { complaintPages } from './pages/operator/complaints/complaints.pages.tsx';
import { guardedPages } from './pages/operator/complaints/guarded.pages.tsx';
import { inboundNumberPages } from './pages/operator/inbound-numbers/inbound-numbers.pages.tsx';
import { daysWithoutPrintingPages, reportReturnedPages } from './pages/operator/letters/letters.pages.tsx';
import { operatorOrganisationPages } from './pages/operator/organisations/organisations.pages.tsx';
import { overviewPages } from './pages/operator/overview/overview.pages.tsx';
import { peoplePages, personPages } from './pages/operator/people/people.pages.tsx';
import { personChangePages } from './pages/operator/people/person-changes.pages.tsx';
import { providerGuidePages, providerPages } from './pages/operator/providers/provider.pages.tsx';
import { providerTestPages } from './pages/operator/providers/provider-test.pages.tsx';
import { providerListPages, providerSharePages } from './pages/operator/providers/providers.pages.tsx';
import { ratePages } from './pages/operator/rates/rates.pages.tsx';
import { reportPages } from './pages/operator/reports/reports.pages.tsx';
import { operatorServicePage, suspendServicePage } from './pages/operator/services/service.pages.tsx';
import { operatorServicePages } from './pages/operator/services/services.pages.tsx';
import { organisationTrialPages, organisationUsagePages } from './pages/organisations/services.pages.tsx';
import { organisationSettingPages } from './pages/organisations/settings.pages.tsx';
import { organisationTeamPages } from './pages/organisations/team.pages.tsx';
import { pdfLetterPages } from './pages/pdf-letters/pdf-letters.pages.tsx';
import { planMessagePages } from './pages/plans/plan-messages.pages.tsx';
import { planPages } from './pages/plans/plans.pages.tsx';
import { quickStartPages } from './pages/quick-start/quick-start.pages.tsx';
import { receivedPages } from './pages/received/received.pages.tsx';
import { replyPages } from './pages/received/reply.pages.tsx';
import { recipientPages } from './pages/recipients/recipients.pages.tsx';
import { recurringSendPages } from './pages/recurring-sends/recurring-sends.pages.tsx';
import { returnedLetterPages } from './pages/returned-letters/returned-letters.pages.tsx';
import { sandboxPages } from './pages/sandbox/sandbox.pages.tsx';
import { choosePages } from './pages/send/choose.pages.tsx';
import { sendPages } from './pages/send/send.pages.tsx';
import {
  operatorDomainPages,
  organisationDomainPages,
  serviceDomainPages,
} from './pages/sending-domains/sending-domains.pages.tsx';
import { addServicePages } from './pages/services/add-service.pages.tsx';
import { joinPages, joinRequestPages } from './pages/services/join.pages.tsx';
import { servicesPages } from './pages/services/services.pages.tsx';
import { annualLimitPages } from './pages/settings/annual-limits.pages.tsx';
import { brandingPages } from './pages/settings/branding.pages.tsx';
import { channelSettingPages } from './pages/settings/channel.pages.tsx';
import { emailSettingPages } from './pages/settings/email.pages.tsx';
import { generalSettingPages } from './pages/settings/general.pages.tsx';
import { guardPages } from './pages/settings/guard.pages.tsx';
import { letterSettingPages } from './pages/settings/letter.pages.tsx';
import { operatorSettingPages } from './pages/settings/operator.pages.tsx';
import { optOutPages } from './pages/settings/opt-outs.pages.tsx';
import { keywordPages } from './pages/settings/replies.pages.tsx';
import { replyToPages } from './pages/settings/reply-to.pages.tsx';
import { sendingTimePages } from './pages/settings/sending-times.pages.tsx';
import { settingsPages } from './pages/settings/settings.pages.tsx';
import { suppressionPages } from './pages/settings/suppression.pages.tsx';
import { textSettingPages } from './pages/settings/text.pages.tsx';
import { confirmPages, passwordPages } from './pages/sign-in/password.pages.tsx';
import { secondStepPages } from './pages/sign-in/second-step.pages.tsx';
import { securityKeyPages } from './pages/sign-in/security-key.pages.tsx';
import { signInPages } from './pages/sign-in/sign-in.pages.tsx';
import { singleSignOnPages } from './pages/sign-in/single-sign-on.pages.tsx';
import { operatorLinkPages, startPages } from './pages/start/start.pages.tsx';
import { supportPages } from './pages/support/support.pages.tsx';
import { contactPages } from './pages/team/contact.pages.tsx';
import { invitePages, memberPages } from './pages/team/member.pages.tsx';
import { teamPages } from './pages/team/team.pages.tsx';
import { attachedPagesPages } from './pages/templates/attached-pages.pages.tsx';
import { copyPages } from './pages/templates/copy.pages.tsx';
import { editorPages } from './pages/templates/editor/editor.pages.tsx';
import { templateFilePages } from './pages/templates/email-files.pages.tsx';
import { folderPages } from './pages/templates/folders.pages.tsx';
import { formattingHelpPages } from './pages/templates/formatting-help.pages.tsx';
import { historyPages } from './pages/templates/history.pages.tsx';
import { templateLanguagePages } from './pages/templates/languages/languages.pages.tsx';
import { listPages } from './pages/templates/list.pages.tsx';
import { previewPages } from './pages/templates/preview.pages.ts';
import { templatePages } from './pages/templates/template.pages.tsx';
import { unsubscribeRequestPages } from './pages/unsubscribe-requests/unsubscribe-requests.pages.tsx';
import { usagePages } from './pages/usage/usage.pages.tsx';

const modules: PageModule<ConsoleApp>[] = [
  signInPages,
  secondStepPages,
  securityKeyPages,
  singleSignOnPages,
  passwordPages,
  confirmPages,
  invitationPages,
  startPages,
  operatorLinkPages,
  servicesPages,
  addServicePages,
  joinPages,
  joinRequestPages,
  homePages,
  monthsPages,
  messagesPages,
  messagePages,
  statusHelpPages,
  receivedPages,
  replyPages,
  usagePages,
  choosePages,
  sendPages,
  filePages,
  newFilePages,
  fileDownloadPages,
  contactListPages,
  recurringSendPages,
  pdfLetterPages,
  listPages,
  planPages,
  planMessagePages,
  folderPages,
  copyPages,
  templatePages,
  templateLanguagePages,
  editorPages,
  templateFilePages,
  attachedPagesPages,
  historyPages,
  previewPages,
  formattingHelpPages,
  quickStartPages,
  accountPages,
  profilePages,
  securityKeyAccountPages,
  newSecurityKeyPages,
  devicePages,
  languageAndTimePages,
  themePages,
  teamPages,
  invitePages,
  memberPages,
  contactPages,
  keyPages,
  guestListPages,
  callbackPages,
  smtpPages,
  smtpTemplatePages,
  refusedPages,
  settingsPages,
  canWeSendPages,
  generalSettingPages,
  channelSettingPages,
  emailSettingPages,
  replyToPages,
  serviceDomainPages,
  suppressionPages,
  optOutPages,
  keywordPages,
  guardPages,
  textSettingPages,
  letterSettingPages,
  brandingPages,
  operatorSettingPages,
  annualLimitPages,
  sendingTimePages,
  goingLivePages,
  goLiveDecisionPages,
  unsubscribeRequestPages,
  returnedLetterPages,
  sandboxPages,
  emailBrandPages,
  letterBrandPages,
  brandPoolPages,
  overviewPages,
  operatorServicePages,
  operatorServicePage,
  suspendServicePage,
  operatorOrganisationPages,
  organisationUsagePages,
  organisationTrialPages,
  organisationTeamPages,
  organisationSettingPages,
  organisationDomainPages,
  peoplePages,
  personPages,
  personChangePages,
  auditPages,
  recipientPages,
  providerListPages,
  providerSharePages,
  providerPages,
  providerGuidePages,
  providerTestPages,
  operatorDomainPages,
  inboundNumberPages,
  ratePages,
  complaintPages,
  guardedPages,
  reportReturnedPages,
  daysWithoutPrintingPages,
  reportPages,
  findPages,
  supportPages,
];

export function collectPages(app: ConsoleApp): readonly DeclaredPage[] {
  const pages = new Pages();
  for (const module of modules) module(pages, app);
  return pages.all;
}
