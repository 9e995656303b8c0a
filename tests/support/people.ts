import { grantByOperator, grantStaffByOperator } from '#core/grants.ts';
import { staffRoles as allRoles, type Role, type StaffRole } from '#core/permissions.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { insertOrganization, insertUser, setMembership } from '#features/organizations/store.ts';
import { addPartner } from '#features/tokens/partners/store.ts';
import { setStaffRoles } from '#features/people/staff/store.ts';
import { issueRootToken } from '#features/tokens/issue-root-token.ts';
import type { Service } from '../../src/main.ts';

export const TOKEN_LIFETIME_MS = 90 * 24 * 3_600_000;

export interface NewPerson {
  /** Of the person and of the token; admin unless given. */
  readonly role?: Role;
  /** In an organization made for this person, instead of the demo organization. */
  readonly ownOrganization?: boolean;
  /** Has every role of the staff. */
  readonly isStaff?: boolean;
  readonly staffRoles?: readonly StaffRole[];
  readonly isPartner?: boolean;
  /** Of the token; 90 days unless given. */
  readonly tokenLifetimeMs?: number;
}

/** Makes people one after another and answers a token of each. */
export function createPeople(service: Service): (person?: NewPerson) => Promise<string> {
  const { clock, ids } = service.work;
  let people = 0;

  return async (person = {}) => {
    const { role = 'admin', ownOrganization = false, isStaff = false, isPartner = false } = person;
    const roles = person.staffRoles ?? (isStaff ? allRoles : []);
    const number = ++people;
    return service.database.runTransaction(async (tx) => {
      const createdAt = clock.now();
      const userId = ids.createUuid();
      const email = `person-${number}@example.org`;
      await insertUser(tx, { id: userId, email, name: null, created_at: createdAt });
      const organizationId = ownOrganization
        ? await createOrganization(service, tx, number)
        : service.founder.organizationId;
      const scope = createOrganizationScope(organizationId);
      const grant = grantByOperator({ organizationId, role });
      if (roles.length > 0) await setStaffRoles(tx, grantStaffByOperator(roles), { userId, at: createdAt });
      await setMembership(scope, tx, grant, { user_id: userId, at: createdAt });
      if (isPartner) await addPartner(scope, tx, grant, { user_id: userId, at: createdAt });
      const lifetimeMs = person.tokenLifetimeMs ?? TOKEN_LIFETIME_MS;
      const request = { userId, name: `token ${number}`, lifetimeMs };
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
