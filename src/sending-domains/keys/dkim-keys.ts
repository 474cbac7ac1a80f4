import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { t } from '../../language/text.ts';
import { day_ms, earlier, later, timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import { type DomainRow, type KeyRow, lockDomain, selectDetails, updateDomain } from '../sending-domains.sql.ts';
import {
  eraseRetiredKeys,
  insertKey,
  replacePrivateKeys,
  selectPrivateKeys,
  selectSelectors,
  updateKey,
} from './dkim-keys.sql.ts';

const purpose = 'dkim-private-key';

export const dkimPrivateKeys: EncryptedValues = {
  name: 'private keys of sending domains',
  purpose,
  select: selectPrivateKeys,
  replace: replacePrivateKeys,
};

const generate = promisify(generateKeyPair);

/** Runs in a Node thread: generating 2048 bits takes up to half a second. */
export async function createKeyPair(): Promise<{ publicKey: string; privateKey: string }> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKey: publicKey.toString('base64'), privateKey };
}

/** Returns undefined if none of the configured keys can decrypt it. */
export function readPrivateKey({ secrets }: Pick<Platform, 'secrets'>, id: string, text: string): string | undefined {
  return secrets.decrypt(purpose, text, id)?.toString();
}

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** Returns `pp`, the year and month, and a letter that no key of the name has had: pp2611a. */
function nextSelector(taken: readonly string[], now: Date): string {
  const month = `pp${now.toISOString().slice(2, 7).replace('-', '')}`;
  const letter = [...letters].find((one) => !taken.includes(`${month}${one}`));
  if (letter === undefined) throw invalid('This domain has had 26 keys this month. Wait until the next month');
  return `${month}${letter}`;
}

/** Adds a key to a domain that the caller has locked or just created. */
export async function addKey(
  app: Platform,
  tx: Tx,
  domain: Pick<DomainRow, 'id' | 'name'>,
  pair: Awaited<ReturnType<typeof createKeyPair>>,
  state: 'signing' | 'waiting',
): Promise<void> {
  const now = app.clock.now();
  const id = newId(now);
  await insertKey(tx, {
    id,
    domain_id: domain.id,
    selector: nextSelector(await selectSelectors(tx, domain.name), now),
    algorithm: 'rsa-2048',
    public_key: pair.publicKey,
    encrypted_private_key: app.secrets.encrypt(purpose, pair.privateKey, id),
    state,
    signing_from: state === 'signing' ? timestamp(now) : null,
    created_at: timestamp(now),
  });
}

/** If a relay signs, only its selector is known. */
export async function addRelayKey(app: Platform, tx: Tx, domainId: string, selector: string): Promise<void> {
  const now = app.clock.now();
  const created_at = timestamp(now);
  const row = { id: newId(now), domain_id: domainId, selector, algorithm: 'rsa-2048' as const, created_at };
  await insertKey(tx, { ...row, state: 'signing', signing_from: created_at });
}

const maxKeys = 2;
/** Mail in transit, and servers that verify old mail, still need the record for this time. */
const retiresAfter_ms = 7 * day_ms;
/** After this time, people are advised to rotate the key. */
const oldKey_ms = 365 * day_ms;

export function isInUse({ state }: Pick<KeyRow, 'state'>): boolean {
  return state !== 'deleted';
}

/** Starts a key rotation: the owner publishes the new record while the old key still signs. */
export async function createNextKey(app: Platform, domainId: string): Promise<void> {
  // Checked twice: generating is slow, so it must not run for a request that fails, nor while the domain is locked.
  await inTransaction(app.db, (tx) => lockForNextKey(tx, domainId));
  const pair = await createKeyPair();
  await inTransaction(app.db, async (tx) => {
    const domain = await lockForNextKey(tx, domainId);
    await addKey(app, tx, domain, pair, 'waiting');
    await updateDomain(tx, domainId, { next_check_at: timestamp(app.clock.now()) }, timestamp(app.clock.now()));
  });
}

async function lockForNextKey(tx: Tx, domainId: string): Promise<DomainRow> {
  const domain = await lockSigningDomain(tx, domainId);
  const { keys } = await selectDetails(tx, [domainId]);
  if (keys.filter(isInUse).length >= maxKeys) {
    throw invalid(t('This domain has 2 keys. Wait until the old one is retired'));
  }
  return domain;
}

async function lockSigningDomain(tx: Tx, id: string): Promise<DomainRow> {
  const domain = await lockDomain(tx, id);
  if (!domain || domain.state === 'retired') throw notFound();
  if (domain.way !== 'signed-here') throw invalid('The keys of this domain are not made here');
  return domain;
}

/** Signs with the new key from now on. The old one must stay published until it is retired. */
export async function takeKeyIntoUse(app: Platform, domainId: string, keyId: string): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await lockSigningDomain(tx, domainId);
    const { keys } = await selectDetails(tx, [domainId]);
    const key = keys.find(({ id }) => id === keyId);
    if (!key) throw notFound();
    if (key.state === 'signing') return;
    if (key.state !== 'ready') {
      throw invalid(
        'The record of this key was not found for an hour yet. Publish it, then wait until the key is ready',
      );
    }
    await exchangeKeys(tx, keys, key, app.clock.now());
  });
}

/** Retires the old key first, because only one can sign at a time. One transaction, so that there is always one that signs. */
export async function exchangeKeys(tx: Tx, keys: readonly KeyRow[], next: KeyRow, now: Date): Promise<void> {
  const retire_at = timestamp(later(now, retiresAfter_ms));
  for (const { id } of keys.filter(({ state }) => state === 'signing')) {
    await updateKey(tx, id, { state: 'retiring', retire_at });
  }
  await updateKey(tx, next.id, { state: 'signing', signing_from: timestamp(now) });
}

/** The keys of a retired domain are kept as long as rotated ones. */
export function retirementOfKeys(now: Date): string {
  return timestamp(later(now, retiresAfter_ms));
}

export function eraseOldKeys({ db, clock }: Platform): Promise<number> {
  return eraseRetiredKeys(db, timestamp(clock.now()));
}

export function isOld({ state, signing_from }: KeyRow, now: Date): boolean {
  return state === 'signing' && signing_from !== null && new Date(signing_from) < earlier(now, oldKey_ms);
}
