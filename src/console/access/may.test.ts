import { describe, expect, it } from 'vitest';
import { hasRight, may, type Right } from './may.ts';

const service = { id: 'a', organisation: 'o' };
const person = { platform_admin: false, read_only_operator: false, permissions: {}, organisations: [] };
const member = (...permissions: string[]) => ({ ...person, permissions: { a: permissions } });
const ofOrganisation = { ...person, organisations: ['o'] };
const readOnly = { ...person, read_only_operator: true };
const platformAdmin = { ...person, platform_admin: true };

describe('may', () => {
  it.each([
    ['anyone', undefined, 'yes'],
    ['signed-in', undefined, 'sign-in'],
    ['signed-in', person, 'yes'],
    ['platform-admin', undefined, 'sign-in'],
    ['platform-admin', person, 'forbidden'],
    ['platform-admin', platformAdmin, 'yes'],
    ['platform-admin', readOnly, 'forbidden'],
    ['operator', undefined, 'sign-in'],
    ['operator', person, 'forbidden'],
    ['operator', readOnly, 'yes'],
    ['operator', platformAdmin, 'yes'],
    [{ service: 'any' }, readOnly, 'forbidden'],
    [{ service: 'any', organisation: true }, readOnly, 'yes'],
    [{ service: 'manage', readOnlyOperators: true }, readOnly, 'yes'],
    [{ service: 'manage', readOnlyOperators: true }, ofOrganisation, 'forbidden'],
    [{ service: 'any', platformAdminsOnly: true }, readOnly, 'forbidden'],
    [{ membersOf: 'organisation' }, undefined, 'sign-in'],
    [{ membersOf: 'organisation' }, person, 'not-found'],
    [{ membersOf: 'organisation' }, member('manage_service'), 'not-found'],
    [{ membersOf: 'organisation' }, ofOrganisation, 'yes'],
    [{ membersOf: 'organisation' }, { ...person, organisations: ['p'] }, 'not-found'],
    [{ membersOf: 'organisation' }, readOnly, 'yes'],
    [{ membersOf: 'organisation' }, platformAdmin, 'yes'],
    [{ service: 'any' }, undefined, 'sign-in'],
    [{ service: 'any' }, person, 'not-found'],
    [{ service: 'any' }, { ...person, permissions: { b: ['manage_service'] } }, 'not-found'],
    [{ service: 'any' }, member(), 'yes'],
    [{ service: 'any' }, ofOrganisation, 'forbidden'],
    [{ service: 'any', organisation: true }, ofOrganisation, 'yes'],
    [{ service: 'any', organisation: true }, { ...person, organisations: ['p'] }, 'not-found'],
    [{ service: 'manage' }, member('view_activity'), 'forbidden'],
    [{ service: 'manage' }, platformAdmin, 'yes'],
    [{ service: ['manage', 'api'] }, member('manage_api_keys'), 'yes'],
    [{ service: ['manage', 'api'] }, member('send_messages'), 'forbidden'],
    [{ service: 'any', platformAdminsOnly: true }, member('manage_service'), 'forbidden'],
    [{ service: 'any', platformAdminsOnly: true }, person, 'not-found'],
    [{ service: 'any', platformAdminsOnly: true }, platformAdmin, 'yes'],
    [{ service: 'send', membersOnly: true }, platformAdmin, 'forbidden'],
    [{ service: 'send', membersOnly: true }, { ...platformAdmin, permissions: { a: ['send_messages'] } }, 'yes'],
  ] as const)('%j for %j: %s', (who, visitor, expected) => {
    expect(may(who, visitor as typeof person | undefined, service)).toBe(expected);
  });

  it.each([
    ['operator', readOnly, 'forbidden'],
    ['operator', platformAdmin, 'yes'],
    [{ service: 'any', organisation: true }, readOnly, 'forbidden'],
    [{ service: 'any', organisation: true }, ofOrganisation, 'yes'],
    [{ service: 'templates', organisation: true }, { ...member('manage_templates'), read_only_operator: true }, 'yes'],
  ] as const)('to change with %j for %j: %s', (who, visitor, expected) => {
    expect(may(who, visitor as typeof person, service, 'change')).toBe(expected);
  });

  it('not-found for a service that does not exist, for platform administrators too', () => {
    expect(may({ service: 'any' }, platformAdmin)).toBe('not-found');
  });

  it('does not take names of objects for services', () => {
    expect(may({ service: 'any' }, person, { id: 'constructor', organisation: null })).toBe('not-found');
  });
});

describe('rights in both vocabularies', () => {
  const rights: Right[] = ['any', 'activity', 'send', 'templates', 'manage', 'api'];
  it.each([
    [[], ['any']],
    [['send_messages'], ['any', 'send']],
    [['send_texts', 'send_emails'], ['any']],
    [
      ['send_texts', 'send_emails', 'send_letters'],
      ['any', 'send'],
    ],
    [['manage_users'], ['any']],
    [
      ['manage_users', 'manage_settings'],
      ['any', 'manage'],
    ],
    [['manage_service'], ['any', 'manage']],
    [
      ['view_activity', 'manage_templates', 'manage_api_keys'],
      ['any', 'activity', 'templates', 'api'],
    ],
    [['platform_admin'], ['any']],
  ])('%j: %j', (permissions, held) => {
    expect(rights.filter((right) => hasRight(right, permissions))).toEqual(held);
  });
});
