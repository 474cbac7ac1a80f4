/** What a key may do: send to everybody, send to the team and guest list, or only simulate. */
export const keyTypes = ['normal', 'team', 'test'] as const;
export type KeyType = (typeof keyTypes)[number];
