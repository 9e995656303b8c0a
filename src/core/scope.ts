/**
 * Whose rows a store function may touch. Every store function takes a scope first, so a query that forgets the
 * tenant does not type-check.
 */
export interface OrganizationScope {
  readonly kind: 'organization';
  readonly organizationId: string;
}

/** The lab itself: staff and the lab's own workers see every organization's work. */
export interface LabScope {
  readonly kind: 'lab';
}

export type Scope = OrganizationScope | LabScope;

export const labScope: LabScope = { kind: 'lab' };

export function organizationScope(organizationId: string): OrganizationScope {
  return { kind: 'organization', organizationId };
}

/** The organization id a query is limited to, or null for the lab: `($1::uuid is null or organization_id = $1)`. */
export function organizationOf(scope: Scope): string | null {
  return scope.kind === 'organization' ? scope.organizationId : null;
}
