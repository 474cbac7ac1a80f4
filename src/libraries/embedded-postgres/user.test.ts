import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chooseServerUser, findForbiddenFolder, isNobody } from './user.ts';

describe('chooseServerUser', () => {
  const root = 'root:x:0:0:root:/root:/bin/bash\n';
  const nobody = 'nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin\n';
  const postgres = 'postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash\n';

  it.each([
    ['pennypost before all others', `${root}${postgres}pennypost:x:900:900::/:/bin/false\n`, { uid: 900, gid: 900 }],
    ['postgres before nobody', root + nobody + postgres, { uid: 101, gid: 104 }],
    ['nobody where there is no postgres', root + nobody, { uid: 65534, gid: 65533 }],
    [
      'the nobody of macOS',
      'nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false',
      { uid: 2 ** 32 - 2, gid: 2 ** 32 - 2 },
    ],
  ])('chooses %s', (_, passwd, expected) => {
    expect(chooseServerUser(passwd)).toEqual(expected);
  });

  it.each([
    ['there is neither', root],
    ['postgres is another name for root', 'postgres:x:0:0::/root:/bin/sh\n'],
  ])('explains what to do when %s', (_, passwd) => {
    expect(() => chooseServerUser(passwd)).toThrow('no user "pennypost", "postgres" or "nobody"');
  });
});

describe('isNobody', () => {
  it('recognises the shared user', () => {
    const passwd = 'postgres:x:101:104::/:/bin/sh\nnobody:x:65534:65533::/:/bin/false\n';
    expect(isNobody({ uid: 65534, gid: 65533 }, passwd)).toBe(true);
    expect(isNobody({ uid: 101, gid: 104 }, passwd)).toBe(false);
  });
});

describe('findBarrier', () => {
  it('returns the first folder on the path that the user cannot enter', () => {
    const home = mkdtempSync(join(tmpdir(), 'pennypost-barrier-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const inner = join(home, 'outer', 'inner');
    mkdirSync(inner, { recursive: true });
    const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const inGroup = { uid: own.uid + 1, gid: own.gid };
    const stranger = { uid: own.uid + 1, gid: own.gid + 1 };

    chmodSync(home, 0o711);
    chmodSync(join(home, 'outer'), 0o710);
    chmodSync(inner, 0o700);
    expect(findForbiddenFolder(own, inner)).toBeUndefined();
    expect(findForbiddenFolder(inGroup, inner)).toBe(inner);
    expect(findForbiddenFolder(stranger, inner)).toBe(join(home, 'outer'));
    chmodSync(home, 0o700);
    expect(findForbiddenFolder(stranger, inner)).toBe(home);
  });
});
