/** Chains of restrictions: the rights of a token after all of them. Pure, and the same for REST, MCP and pages. */
import { machineMethods, type AttenuationSpec, type PaymentPolicy } from '#core/capability.ts';
import type { Problem } from '#core/failures.ts';
import { isUuid } from '#core/ids.ts';
import { isAction, isResource, type Action, type Permission } from '#core/permissions.ts';
import type { Restrictions } from '#core/principal.ts';

/** Largest number of derivations below a root. */
export const DEPTH_MAX = 8;
export const LIST_LENGTH_MAX = 100;
const NAME_LENGTH_MAX = 64;

const READING: ReadonlySet<string> = new Set<Action>(['list', 'read']);

/** Whether one step permits a permission. An empty list permits nothing. */
function isAllowedByStep(step: AttenuationSpec, permission: Permission): boolean {
  const [resource = '', action = ''] = permission.split(':');
  if (step.read_only === true && !READING.has(action)) return false;
  if (step.non_destructive === true && action === 'delete') return false;
  if (isList(step.allowed_actions) && !step.allowed_actions.includes(action)) return false;
  return !isList(step.allowed_resources) || step.allowed_resources.includes(resource);
}

function isOrganizationAllowed(chain: readonly AttenuationSpec[], organizationId: string): boolean {
  return chain.every(
    ({ allowed_org_ids: ids }) =>
      !isList(ids) || ids.some((id) => id.toLowerCase() === organizationId.toLowerCase()),
  );
}

/** The permissions that remain. A limit to an organization or to experiments removes rights that reach beyond it. */
export function restrictPermissions(
  granted: ReadonlySet<Permission>,
  chain: readonly AttenuationSpec[],
  organizationId: string,
): ReadonlySet<Permission> {
  if (chain.length === 0) return granted;
  if (!isOrganizationAllowed(chain, organizationId)) return new Set();
  const isLocal = chain.some((step) => isList(step.allowed_org_ids) || isList(step.resource_ids));
  return new Set(
    [...granted].filter(
      (permission) =>
        !(isLocal && /^(?:admin|lab|partner):/.test(permission)) &&
        chain.every((step) => isAllowedByStep(step, permission)),
    ),
  );
}

export function buildRestrictions(
  chain: readonly AttenuationSpec[],
  policy: PaymentPolicy | undefined,
): Restrictions {
  const effective = joinPolicies(policy, chain);
  return {
    isAttenuated: chain.length > 0,
    experiments: chain.flatMap(({ resource_ids: ids }) => (isList(ids) ? [ids] : [])),
    hasSpendLimit: [...chain, ...(effective === null ? [] : [effective])].some(hasSpendLimit),
    isLimited: chain.some(setsLimit) || (policy !== undefined && hasSpendLimit(policy)),
    paymentMethods: effective?.methods ?? null,
  };
}

/**
 * Joins the policy of a root and those of the steps below it: the methods that all of them name, in the order of the
 * last, and the smallest cap. Returns null where none sets a policy.
 */
export function joinPolicies(
  ofRoot: PaymentPolicy | null | undefined,
  chain: readonly AttenuationSpec[],
): PaymentPolicy | null {
  let joined: PaymentPolicy | null = ofRoot ?? null;
  for (const { payment_policy: policy } of chain)
    if (policy !== undefined && policy !== null)
      joined = joined === null ? policy : computeCommonPolicy(joined, policy);
  return joined;
}

function computeCommonPolicy(above: PaymentPolicy, below: PaymentPolicy): PaymentPolicy {
  return {
    methods: below.methods.filter((method) => above.methods.includes(method)),
    max_spend_cents: findSmallest([above.max_spend_cents, below.max_spend_cents]),
  };
}

/** Returns the smallest sum that a step and its payment policy set; null where neither sets one. */
export function computeStepLimit({
  max_spend_cents: limit,
  payment_policy: policy,
}: AttenuationSpec): number | null {
  return findSmallest([limit, policy?.max_spend_cents]);
}

function findSmallest(limits: readonly (number | null | undefined)[]): number | null {
  const set = limits.filter((limit) => limit !== null && limit !== undefined);
  return set.length === 0 ? null : Math.min(...set);
}

/** Finds what a policy would allow beyond the policy of its parent; a parent without a policy sets no limit to it. */
export function findPolicyProblem(
  parent: PaymentPolicy | null,
  { methods, max_spend_cents: cap }: PaymentPolicy,
): Problem | undefined {
  if (parent === null) return undefined;
  const path = 'attenuation.payment_policy';
  const extra = methods.filter((method) => !parent.methods.includes(method));
  if (extra.length > 0)
    return {
      path: `${path}.methods`,
      message: `the token does not pay by ${extra.join(', ')}; it pays by ${parent.methods.join(', ')}`,
    };
  const limit = parent.max_spend_cents ?? null;
  if (limit !== null && typeof cap === 'number' && cap > limit)
    return {
      path: `${path}.max_spend_cents`,
      message: `is more than the ${limit} cents of the token's policy`,
    };
  return undefined;
}

function hasSpendLimit(step: Pick<AttenuationSpec, 'max_spend_cents' | 'payment_policy'>): boolean {
  return computeStepLimit(step) !== null;
}

/** A step without limits changes nothing. */
function setsLimit(step: AttenuationSpec): boolean {
  return Object.values(step).some((value) => value !== null && value !== undefined && value !== false);
}

/** Whether every list of experiments names this one, by its id or its code. */
export function isExperimentAllowed(
  lists: Restrictions['experiments'],
  experiment: { readonly id: string; readonly code: string },
): boolean {
  return lists.every((list) =>
    list.some((name) => name.toLowerCase() === experiment.id || name === experiment.code),
  );
}

function isList(value: readonly string[] | null | undefined): value is readonly string[] {
  return value !== undefined && value !== null;
}

const stepChecks: Readonly<Record<keyof AttenuationSpec, (value: unknown) => boolean>> = {
  read_only: isBoolean,
  non_destructive: isBoolean,
  allowed_actions: createListCheck(isAction),
  allowed_resources: createListCheck(isResource),
  allowed_org_ids: createListCheck(isUuid),
  expires_at: (value) => value === null || (typeof value === 'string' && !Number.isNaN(Date.parse(value))),
  max_spend_cents: isAmountOrNull,
  resource_ids: createListCheck((text) => text.length > 0 && text.length <= NAME_LENGTH_MAX),
  payment_policy: (value) => value === null || isPolicy(value),
};

/** Checks a step of a signed token as strictly as a requested one: unknown members are rejected, not ignored. */
export function isStep(value: unknown): value is AttenuationSpec {
  return hasForm(value, stepChecks);
}

const policyChecks: Readonly<Record<keyof PaymentPolicy, (value: unknown) => boolean>> = {
  methods: (value) => Array.isArray(value) && value.length > 0 && value.every(isMachineMethod),
  max_spend_cents: isAmountOrNull,
};

export function isPolicy(value: unknown): value is PaymentPolicy {
  return hasForm(value, policyChecks) && typeof value === 'object' && value !== null && 'methods' in value;
}

function hasForm(value: unknown, checks: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([key, item]: [string, unknown]) => {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    return check?.(item) === true;
  });
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isAmountOrNull(value: unknown): boolean {
  return value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
}

function isMachineMethod(value: unknown): boolean {
  return machineMethods.some((method) => method === value);
}

function createListCheck(check: (text: string) => boolean): (value: unknown) => boolean {
  return (value) =>
    value === null ||
    (Array.isArray(value) && value.every((item: unknown) => typeof item === 'string' && check(item)));
}
