/** The permissions of each role, in one table that the transports, `GET /whoami` and the tests read. */
export const roles = ['viewer', 'member', 'billing', 'admin'] as const;
export type Role = (typeof roles)[number];

/** As pages and mails call them: short, because a narrow window cuts the chosen one of a picker. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  member: 'Member',
  billing: 'Billing',
  admin: 'Administrator',
};

export const resources = [
  'experiment',
  'sequence',
  'target',
  'result',
  'share',
  'project',
  'organization',
  'user',
  'token',
  'webhook',
  'update',
  'quote',
  'invoice',
  'billing',
  'feedback',
  'partner',
  'credit',
  'usage',
  'product',
  'info',
  'admin',
  'policy',
  'lab',
] as const;
export type Resource = (typeof resources)[number];

export const actions = [
  'list',
  'read',
  'create',
  'update',
  'delete',
  'issue',
  'revoke',
  'mint_token',
  'pay',
  'run',
  'review',
  'price',
  'bill',
  'appoint',
] as const;
export type Action = (typeof actions)[number];
export type Permission = `${Resource}:${Action}`;

export function isResource(text: string): text is Resource {
  return resources.some((resource) => resource === text);
}

export function isAction(text: string): text is Action {
  return actions.some((action) => action === text);
}

const READABLE: readonly Resource[] = [
  'experiment',
  'sequence',
  'target',
  'result',
  'share',
  'project',
  'organization',
  'update',
  'quote',
  'invoice',
  'product',
  'info',
  'token',
  'webhook',
];

const viewer: readonly Permission[] = READABLE.flatMap((resource) => [
  `${resource}:list` as const,
  `${resource}:read` as const,
]);

const member: readonly Permission[] = [
  ...viewer,
  'experiment:create',
  'experiment:update',
  'experiment:delete',
  'sequence:create',
  'sequence:update',
  'sequence:delete',
  'target:create',
  'share:create',
  'share:revoke',
  'quote:update',
  'invoice:pay',
  'token:issue',
  'token:revoke',
  'webhook:create',
  'webhook:update',
  'webhook:delete',
  'feedback:create',
];

const billing: readonly Permission[] = [
  ...viewer,
  'quote:update',
  'invoice:pay',
  'billing:list',
  'billing:read',
  'billing:update',
  'credit:list',
  'credit:read',
  'usage:list',
  'usage:read',
  'token:issue',
  'token:revoke',
  'feedback:create',
];

const admin: readonly Permission[] = [
  ...new Set<Permission>([
    ...member,
    ...billing,
    'organization:update',
    'user:list',
    'user:read',
    'user:create',
    'user:update',
    'user:delete',
    'policy:read',
    'policy:update',
    'project:create',
    'project:update',
    'project:delete',
  ]),
];

export const rolePermissions: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  viewer: new Set(viewer),
  member: new Set(member),
  billing: new Set(billing),
  admin: new Set(admin),
};

/** What a person does in the lab; a person may have several of these roles. */
export const staffRoles = ['operator', 'manager', 'finance'] as const;
export type StaffRole = (typeof staffRoles)[number];

/** Permissions of the lab's own staff beyond their role in an organization. */
export const staffRolePermissions: Readonly<Record<StaffRole, ReadonlySet<Permission>>> = {
  operator: new Set<Permission>(['lab:read', 'lab:run']),
  manager: new Set<Permission>(['lab:read', 'lab:run', 'lab:review', 'lab:price', 'lab:appoint']),
  finance: new Set<Permission>(['lab:read', 'lab:bill']),
};

/** The permission that every role of the staff has: whoever has it is of the staff. */
export const STAFF_PERMISSION: Permission = 'lab:read';

/** Permissions that only staff have; clients see no operation that needs one. */
export const staffPermissions: ReadonlySet<Permission> = new Set(
  staffRoles.flatMap((role) => [...staffRolePermissions[role]]),
);

/** Permissions of partners beyond their role in their own organization. */
export const partnerPermissions: ReadonlySet<Permission> = new Set<Permission>([
  'partner:list',
  'partner:mint_token',
  'partner:revoke',
]);

/**
 * Returns the permissions that both the token's role and its holder's current membership grant, so a token never
 * outgrows its holder.
 */
export function computePermissions(
  tokenRole: Role,
  memberRole: Role,
  held: readonly StaffRole[],
  isPartner: boolean,
): ReadonlySet<Permission> {
  const granted = new Set(rolePermissions[tokenRole]);
  for (const permission of granted)
    if (!rolePermissions[memberRole].has(permission)) granted.delete(permission);
  if (tokenRole === 'admin' && memberRole === 'admin')
    for (const role of held) for (const permission of staffRolePermissions[role]) granted.add(permission);
  if (isPartner && tokenRole === 'admin' && memberRole === 'admin')
    for (const permission of partnerPermissions) granted.add(permission);
  return granted;
}
