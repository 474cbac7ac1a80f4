/** The ways to send a message; also the types of templates. */
export const channels = ['sms', 'email', 'letter'] as const;

export type Channel = (typeof channels)[number];
