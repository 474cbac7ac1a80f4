import type { OrganisationType } from '../../../organisations/organisations.ts';

export const typeNames: Record<OrganisationType, string> = {
  central: 'Central government',
  local: 'Local government',
  nhs_central: 'NHS: central agency',
  nhs_local: 'NHS: trust or board',
  nhs_gp: 'NHS: practice',
  nhs_notify: 'NHS Notify',
  emergency_service: 'Emergency service',
  school_or_college: 'School or college',
  other: 'Other',
};

/** Texts about the organisation that only operators see, except the notes for requests to go live. */
export const textSettings = [
  {
    path: 'go-live-notes',
    field: 'request_to_go_live_notes',
    title: 'Notes for requests to go live',
    maxLength: 10_000,
  },
  { path: 'notes', field: 'notes', title: 'Notes', maxLength: 10_000 },
  { path: 'billing-names', field: 'billing_contact_names', title: 'Billing contacts', maxLength: 2_000 },
  {
    path: 'billing-addresses',
    field: 'billing_contact_email_addresses',
    title: 'Email addresses of billing contacts',
    maxLength: 2_000,
  },
  { path: 'purchase-order', field: 'purchase_order_number', title: 'Purchase order number', maxLength: 255 },
  { path: 'billing-reference', field: 'billing_reference', title: 'Billing reference', maxLength: 255 },
  {
    path: 'agreement-name',
    field: 'agreement_signed_on_behalf_of_name',
    title: 'Agreement signed on behalf of',
    maxLength: 255,
  },
] as const;

/** Yes or no. */
export const switches = [
  {
    path: 'self-approval',
    field: 'can_approve_own_go_live_requests',
    title: 'Decides about requests to go live itself',
    lead: 'Members who may make services live decide about the services of the organisation, without the operator.',
  },
  {
    path: 'agreement',
    field: 'agreement_signed',
    title: 'Agreement signed',
    lead: 'Whether the organisation has signed an agreement with you. Nobody is told.',
  },
  {
    path: 'crown',
    field: 'crown',
    title: 'Crown body',
    lead: 'For organisations of the government of the United Kingdom. Its services get it, too.',
  },
] as const;
