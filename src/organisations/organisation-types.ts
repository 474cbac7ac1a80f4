/** What kind of body an organisation, or a service without one, is: it decides the free text messages of a year. */
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
