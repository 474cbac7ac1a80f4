import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../../platform/failure.ts';
import { decryptWith, encryptTo, newIdentity, openIdentity } from '../../platform/secrets/age.ts';

/** The encryption of a backup; unencrypted if empty. */
export interface EncryptedTo {
  recipients?: readonly string[];
  passphraseFile?: string;
}

export interface OpenedWith {
  identityFile?: string;
  passphraseFile?: string;
}

const identityName = 'identity.age';

/** The files of a backup. If encrypted, each file is encrypted separately and its name ends in `.age`. */
export class BackupFolder {
  private readonly folder: string;
  private readonly transform: ((content: Readable) => Promise<Readable>) | undefined;

  private constructor(folder: string, transform?: BackupFolder['transform']) {
    this.folder = folder;
    this.transform = transform;
  }

  static async create(folder: string, { recipients = [], passphraseFile }: EncryptedTo): Promise<BackupFolder> {
    if (recipients.length > 0 && passphraseFile) throw new OperatorError('Name recipients or a passphrase, not both.');
    const passphrase = passphraseFile && (await readPassphrase(passphraseFile));
    const transform = recipients.length > 0 ? encryptTo(recipients) : undefined;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length > 0) throw new OperatorError(`${folder} is not empty: name a new folder.`);
    if (!passphrase) return new BackupFolder(folder, transform);
    // Deriving a key from a passphrase is slow by design, so the passphrase encrypts one identity, which decrypts all files.
    const { recipient, file } = await newIdentity(passphrase);
    await writeFile(join(folder, identityName), file, { mode: 0o600 });
    return new BackupFolder(folder, encryptTo([recipient]));
  }

  static async open(folder: string, { identityFile, passphraseFile }: OpenedWith): Promise<BackupFolder> {
    if (existsSync(join(folder, 'database.sql.gz'))) return new BackupFolder(folder);
    if (!existsSync(join(folder, 'database.sql.gz.age'))) {
      throw new OperatorError(`${folder} holds no backup: ${join(folder, 'database.sql.gz')} is missing.`);
    }
    if (identityFile) return new BackupFolder(folder, decryptWith(await readFile(identityFile, 'utf8')));
    const locked = existsSync(join(folder, identityName));
    if (!passphraseFile) {
      const flag = locked ? '--passphrase-file <file>' : '--identity <file>';
      throw new OperatorError(`The backup is encrypted: add ${flag}.`);
    }
    if (!locked) throw new OperatorError('The backup is encrypted to a recipient: add --identity <file>.');
    const identity = await openIdentity(
      await readFile(join(folder, identityName)),
      await readPassphrase(passphraseFile),
    );
    return new BackupFolder(folder, decryptWith(identity));
  }

  private pathOf(name: string): string {
    return join(this.folder, this.transform ? `${name}.age` : name);
  }

  async write(name: string, content: Readable): Promise<void> {
    const file = this.pathOf(name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await pipeline(this.transform ? await this.transform(content) : content, createWriteStream(file, { mode: 0o600 }));
  }

  async read(name: string): Promise<Readable> {
    const content = createReadStream(this.pathOf(name));
    return this.transform ? this.transform(content) : content;
  }

  /** Copies a folder of the data folder, keeping the file names. */
  async copyFrom(dataDir: string, part: string): Promise<void> {
    for (const name of await filesIn(join(dataDir, part))) {
      await this.write(join(part, name), createReadStream(join(dataDir, part, name)));
    }
  }

  /** Returns the number of restored files. */
  async restoreTo(dataDir: string, part: string): Promise<number> {
    const names = await filesIn(join(this.folder, part));
    for (const kept of names) {
      const name = this.transform ? kept.replace(/\.age$/, '') : kept;
      const file = join(dataDir, part, name);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await pipeline(await this.read(join(part, name)), createWriteStream(file, { mode: 0o600 }));
    }
    return names.length;
  }
}

async function filesIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

async function readPassphrase(file: string): Promise<string> {
  const passphrase = (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  if (passphrase.length < 12) throw new OperatorError(`The passphrase in ${file} must have at least 12 characters.`);
  return passphrase;
}
