/**
 * The organizations whose rows a store function may touch. A function over a table with rows of organizations takes a
 * scope first, so a query that forgets the tenant does not type-check. A function over tables without an
 * organization takes none.
 */
export interface OrganizationScope {
  readonly kind: 'organization';
  readonly organizationId: string;
}

/**
 * Rows of every organization: for staff, for the lab's workers, and for lookups by a person or a secret that happen
 * before an organization is known. The type has nothing to read; to ask for it states that the query is not limited
 * to one organization.
 */
export interface LabScope {
  readonly kind: 'lab';
}

/** Either scope: for a query that serves one organization or all of them. */
export type Scope = OrganizationScope | LabScope;

export const labScope: LabScope = { kind: 'lab' };

export function createOrganizationScope(organizationId: string): OrganizationScope {
  return { kind: 'organization', organizationId };
}

/**
 * Returns the organization id that limits a query, or null for the lab: `($1::uuid is null or organization_id = $1)`.
 */
export function getOrganizationId(scope: Scope): string | null {
  return scope.kind === 'organization' ? scope.organizationId : null;
}
