/** Recovery by the operator at the command line, for a person who has lost every way to sign in. */
import { randomBytes } from 'node:crypto';
import { addMs, HOUR_MS } from '#core/clock.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { insertLink } from './link-store.ts';
import { normalizeEmail } from './rules.ts';
import { findPersonByEmail } from './store.ts';
import type { Operator } from '../installation/operator.ts';
import { recordChange } from '../audit/record-change.ts';

const SECRET_BYTES = 24;

/** Path of a link that signs the person in once, within an hour; undefined when no person has the address. */
export async function createRecoveryLink(
  database: Database,
  operator: Operator,
  email: string,
): Promise<string | undefined> {
  return database.runTransaction(async (tx) => {
    const person = await findPersonByEmail(tx, normalizeEmail(email));
    if (person === undefined) return undefined;
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const createdAt = operator.clock.now();
    await insertLink(tx, {
      secret,
      purpose: 'sign_in',
      email: person.email,
      userId: person.id,
      createdAt,
      expiresAt: addMs(createdAt, HOUR_MS),
    });
    await recordChange(operator, tx, createOrganizationScope(INSTALLATION_ID), {
      ...operator.actor,
      operation: 'make_sign_in_link',
      subject: person.id,
      details: { email: person.email },
    });
    return `/sign-in/link/${secret}`;
  });
}
