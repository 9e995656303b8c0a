import { grantByOperator } from '#core/grants.ts';
import type { Role } from '#core/permissions.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { insertOrganization, insertUser, makeStaff, setMembership } from '#domain/organizations/store.ts';
import { addPartner } from '#domain/partners/store.ts';
import { issueRootToken } from '#workflows/tokens/issue-root-token.ts';
import type { Service } from '../../src/main.ts';

export const TOKEN_LIFETIME_MS = 90 * 24 * 3_600_000;

export interface NewPerson {
  /** Of the person and of the token; admin unless given. */
  readonly role?: Role;
  /** In an organization made for this person, instead of the demo organization. */
  readonly ownOrganization?: boolean;
  readonly isStaff?: boolean;
  readonly isPartner?: boolean;
}

/** Makes people one after another and answers a token of each. */
export function createPeople(service: Service): (person?: NewPerson) => Promise<string> {
  const { clock, ids } = service.work;
  let people = 0;

  return async ({ role = 'admin', ownOrganization = false, isStaff = false, isPartner = false } = {}) => {
    const number = ++people;
    return service.database.runTransaction(async (tx) => {
      const createdAt = clock.now();
      const userId = ids.createUuid();
      const email = `person-${number}@example.org`;
      await insertUser(tx, { id: userId, email, name: null, createdAt });
      const organizationId = ownOrganization
        ? await createOrganization(service, tx, number)
        : service.founder.organizationId;
      const scope = createOrganizationScope(organizationId);
      const grant = grantByOperator({ organizationId, role });
      if (isStaff) await makeStaff(tx, grant, userId);
      await setMembership(scope, tx, grant, { userId, at: createdAt });
      if (isPartner) await addPartner(scope, tx, grant, { userId, at: createdAt });
      const request = { userId, name: `token ${number}`, lifetimeMs: TOKEN_LIFETIME_MS };
      return (await issueRootToken(service.work, tx, service.keyring, grant, request)).value;
    });
  };
}

async function createOrganization(service: Service, tx: Transaction, number: number): Promise<string> {
  const id = service.work.ids.createUuid();
  const createdAt = service.work.clock.now();
  await insertOrganization(tx, {
    id,
    name: `Organization ${number}`,
    slug: `ORG${number}`,
    createdAt,
  });
  return id;
}
