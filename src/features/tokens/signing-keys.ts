/** The keys that sign tokens. */
import { generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto';
import type { Clock } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { FIRST_START, INSTALLATION_ID } from '../audit/rules.ts';
import type { SigningKey } from './capability.ts';
import { insertSigningKey, lockSigningKeys, retireSigningKeys, selectSigningKeys } from './store.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Operator } from '../installation/operator.ts';

const installation = createOrganizationScope(INSTALLATION_ID);

/** The keys of this environment; the first start makes the first one. Two processes starting at once agree on one. */
export async function ensureSigningKeys(work: Work, database: Database): Promise<SigningKey[]> {
  return database.runTransaction(async (tx) => {
    await lockSigningKeys(tx);
    const signingKeys = await selectSigningKeys(tx);
    if (signingKeys.some((key) => !key.retired)) return signingKeys;
    const key = await addSigningKey(work.clock, tx);
    await recordChange(work, tx, installation, {
      ...FIRST_START,
      operation: 'create_signing_key',
      subject: key.kid,
    });
    return [key, ...signingKeys];
  });
}

/** A new key signs from now on; the ones before it still verify what they signed. */
export async function rotateSigningKeys(operator: Operator, database: Database): Promise<SigningKey> {
  const { clock } = operator;
  return database.runTransaction(async (tx) => {
    await lockSigningKeys(tx);
    await retireSigningKeys(tx, clock.now());
    const key = await addSigningKey(clock, tx);
    await recordChange(operator, tx, installation, {
      ...operator.actor,
      operation: 'rotate_signing_keys',
      subject: key.kid,
    });
    return key;
  });
}

async function addSigningKey(clock: Clock, tx: Transaction): Promise<SigningKey> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key: SigningKey = {
    kid: randomBytes(6).toString('base64url'),
    public_jwk: publicKey.export({ format: 'jwk' }),
    private_jwk: privateKey.export({ format: 'jwk' }),
    retired: false,
  };
  await insertSigningKey(tx, key, clock.now());
  return key;
}

/**
 * Derives a secret for one purpose from the oldest signing key, so that every process of the environment has the
 * same.
 */
export function deriveKey(keys: readonly SigningKey[], purpose: string): Buffer {
  const oldest = keys.at(-1);
  if (oldest?.private_jwk.d === undefined) throw new Error('the signing key has no private part');
  return Buffer.from(hkdfSync('sha256', oldest.private_jwk.d, 'assayer', purpose, 32));
}
