/** Type of an organisation, or of a service without one. It determines the annual free SMS allowance. */
export const organisationTypes = [
  'central',
  'local',
  'nhs_central',
  'nhs_local',
  'nhs_gp',
  'nhs_notify',
  'emergency_service',
  'school_or_college',
  'other',
] as const;

export type OrganisationType = (typeof organisationTypes)[number];
