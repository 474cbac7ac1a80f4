/** The service that sends account messages. */
export const platformServiceId = 'd6aa2c68-a2d9-4437-ab19-3ae8eb202553';
/** The system user, recorded as the author of changes that no person made. */
export const platformUserId = '6af522d0-2915-4e52-83a3-3690455a5fe6';
