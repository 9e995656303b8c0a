/**
 * Whose rows a store function may touch. One that asks a table whose rows belong to organizations takes a scope first,
 * so a query that forgets the tenant does not type-check; one that asks only what belongs to nobody takes none.
 */
export interface OrganizationScope {
  readonly kind: 'organization';
  readonly organizationId: string;
}

/**
 * Rows of every organization: for staff and the lab's own workers, and for what is found by a person or a secret
 * before an organization is known. It has nothing to read; to ask for it is to say that no organization limits this.
 */
export interface LabScope {
  readonly kind: 'lab';
}

/** Either: the same question of one organization, or of all. */
export type Scope = OrganizationScope | LabScope;

export const labScope: LabScope = { kind: 'lab' };

export function organizationScope(organizationId: string): OrganizationScope {
  return { kind: 'organization', organizationId };
}

/** The organization id a query is limited to, or null for the lab: `($1::uuid is null or organization_id = $1)`. */
export function organizationOf(scope: Scope): string | null {
  return scope.kind === 'organization' ? scope.organizationId : null;
}
