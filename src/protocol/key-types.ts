/** What a key may do: send to everybody, to the team and the guest list, or only pretend. */
export const keyTypes = ['normal', 'team', 'test'] as const;
export type KeyType = (typeof keyTypes)[number];
