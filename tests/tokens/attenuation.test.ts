/** Chains of restrictions as rules alone: whatever the chain, a child may do nothing that its parent may not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { machineMethods, type AttenuationSpec, type TokenClaims } from '#core/capability.ts';
import { actions, resources, roles, staffRoles, type Permission } from '#core/permissions.ts';
import type { Principal } from '#core/principal.ts';
import { isExperimentAllowed, DEPTH_MAX } from '#features/tokens/attenuation.ts';
import { createAttenuatedClaims, buildPrincipal } from '#features/tokens/rules.ts';

const CHAINS = Number(process.env.ASSAYER_TOKEN_CHAINS ?? '20000');
const NOW = new Date('2026-03-02T09:00:00.000Z');
const END_S = NOW.getTime() / 1000 + 1_000_000;
const createId = (n: number): string => `01980000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const ORGANIZATIONS = [createId(1), createId(2)];
const EXPERIMENTS = [0, 1, 2].map((n) => ({ id: createId(100 + n), code: `DEMO-001-00${n}` }));
const names = EXPERIMENTS.flatMap((experiment) => [experiment.id, experiment.code]);

const drawMaybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const list = (values: readonly string[]) => drawMaybe(fc.option(fc.subarray([...values]), { freq: 4 }));

const steps: fc.Arbitrary<AttenuationSpec> = fc
  .record({
    read_only: drawMaybe(fc.boolean()),
    non_destructive: drawMaybe(fc.boolean()),
    allowed_actions: list(actions),
    allowed_resources: list(resources),
    allowed_org_ids: list(ORGANIZATIONS),
    resource_ids: list(names),
    max_spend_cents: drawMaybe(fc.nat()),
  })
  .map((step) => JSON.parse(JSON.stringify(step)));

const roots = fc.record({
  role: fc.constantFrom(...roles),
  present: fc.constantFrom(...roles),
  isStaff: fc.boolean(),
});

type Root = typeof roots extends fc.Arbitrary<infer Value> ? Value : never;

function createRoot({ role }: Root): TokenClaims {
  const [org = ''] = ORGANIZATIONS;
  const iat = NOW.getTime() / 1000;
  return {
    v: 1,
    env: 'sandbox',
    tid: createId(9),
    path: [createId(9)],
    sub: createId(8),
    org,
    role,
    iat,
    exp: END_S,
  };
}

function createPrincipal(claims: TokenClaims, { present, isStaff }: Root): Principal {
  const holder = { user_email: 'a@example.org', organization_slug: 'DEMO', revoked: false };
  return buildPrincipal(claims, {
    ...holder,
    member_role: present,
    staff_roles: isStaff ? staffRoles : [],
    is_partner: false,
  });
}

function derive(parent: TokenClaims, spec: AttenuationSpec): TokenClaims {
  return createAttenuatedClaims(parent, { id: createId(10 + parent.path.length), spec }, NOW);
}

function listReachable({ restrictions }: Principal): string[] {
  return EXPERIMENTS.filter((each) => isExperimentAllowed(restrictions.experiments, each)).map(
    ({ code }) => code,
  );
}

function assertWithin(child: Principal, parent: Principal): void {
  for (const permission of child.permissions) assert.ok(parent.permissions.has(permission), permission);
  const above = new Set(listReachable(parent));
  for (const code of listReachable(child)) assert.ok(above.has(code), code);
  assert.ok(child.restrictions.hasSpendLimit || !parent.restrictions.hasSpendLimit);
}

/** Written apart from the code under test: what one step lets through, straight from its meaning. */
function isAllowed(step: AttenuationSpec, permission: Permission): boolean {
  const [resource = '', action = ''] = permission.split(':');
  const isNamed = (values: readonly string[] | null | undefined, value: string) =>
    values?.includes(value) ?? true;
  const reads = step.read_only !== true || action === 'list' || action === 'read';
  const spares = step.non_destructive !== true || action !== 'delete';
  const isHere = isNamed(step.allowed_org_ids, ORGANIZATIONS[0] ?? '');
  const local = step.allowed_org_ids ?? step.resource_ids ?? null;
  const isLocal = local === null || !['admin', 'lab', 'partner'].includes(resource);
  return (
    reads &&
    spares &&
    isHere &&
    isLocal &&
    isNamed(step.allowed_actions, action) &&
    isNamed(step.allowed_resources, resource)
  );
}

test(`child ⊆ parent: ${CHAINS} random chains → a child has exactly the permissions that every step allows`, () => {
  const chains = fc.array(steps, { minLength: 1, maxLength: DEPTH_MAX });
  fc.assert(
    fc.property(roots, chains, (root, chain) => {
      let claims = createRoot(root);
      const top = createPrincipal(claims, root);
      let above = top;
      for (const step of chain) {
        claims = derive(claims, step);
        const child = createPrincipal(claims, root);
        assertWithin(child, above);
        above = child;
      }
      const expected = [...top.permissions].filter((each) => chain.every((step) => isAllowed(step, each)));
      assert.deepEqual([...above.permissions].sort(), expected.sort());
    }),
    { numRuns: CHAINS },
  );
});

test('order: the same restrictions in another order → the same permissions', () => {
  const shuffled = fc
    .array(steps, { minLength: 2, maxLength: DEPTH_MAX })
    .chain((chain) => fc.tuple(fc.constant(chain), fc.shuffledSubarray(chain, { minLength: chain.length })));
  fc.assert(
    fc.property(roots, shuffled, (root, [chain, other]) => {
      const [one, two] = [chain, other].map((each) =>
        createPrincipal(each.reduce(derive, createRoot(root)), root),
      );
      assert.deepEqual([...(one?.permissions ?? [])].sort(), [...(two?.permissions ?? [])].sort());
      if (one !== undefined && two !== undefined) assert.deepEqual(listReachable(one), listReachable(two));
    }),
    { numRuns: CHAINS / 10 },
  );
});

test('expires_at: a child asks for any end → it ends no later than its parent', () => {
  const offsets = fc.array(fc.integer({ min: -100, max: 2_000_000 }), { minLength: 1, maxLength: DEPTH_MAX });
  fc.assert(
    fc.property(offsets, (offset) => {
      let claims = createRoot({ role: 'admin', present: 'admin', isStaff: false });
      for (const seconds of offset) {
        const expiresAt = new Date(NOW.getTime() + seconds * 1_000).toISOString();
        const isAllowed = seconds > 0 && NOW.getTime() / 1000 + seconds <= (claims.exp ?? 0);
        if (isAllowed) claims = derive(claims, { expires_at: expiresAt });
        else assert.throws(() => derive(claims, { expires_at: expiresAt }), { code: 'invalid_attenuation' });
        assert.ok((claims.exp ?? Infinity) <= END_S);
      }
    }),
  );
});

const policies = fc.record({
  methods: fc.shuffledSubarray([...machineMethods], { minLength: 1 }),
  max_spend_cents: drawMaybe(fc.option(fc.integer({ min: 0, max: 100 }))),
});

test('payment_policy: random policies along a chain → one that widens is refused, and no child pays by more', () => {
  fc.assert(
    fc.property(fc.array(policies, { minLength: 1, maxLength: DEPTH_MAX }), (chain) => {
      const holder: Root = { role: 'admin', present: 'admin', isStaff: false };
      let claims = createRoot(holder);
      let allowed: readonly string[] = machineMethods;
      let cap = Infinity;
      for (const policy of chain) {
        const payment_policy = JSON.parse(JSON.stringify(policy));
        const isWithin =
          policy.methods.every((method) => allowed.includes(method)) && (policy.max_spend_cents ?? 0) <= cap;
        if (!isWithin) {
          assert.throws(() => derive(claims, { payment_policy }), { code: 'invalid_attenuation' });
          continue;
        }
        claims = derive(claims, { payment_policy });
        allowed = policy.methods;
        cap = Math.min(cap, policy.max_spend_cents ?? Infinity);
        const { restrictions } = createPrincipal(claims, holder);
        assert.deepEqual(restrictions.paymentMethods, policy.methods);
        assert.equal(restrictions.hasSpendLimit, cap < Infinity);
      }
    }),
    { numRuns: CHAINS / 10 },
  );
});

test('depth: the ninth restriction → invalid_attenuation', () => {
  let claims = createRoot({ role: 'admin', present: 'admin', isStaff: false });
  for (let depth = 0; depth < DEPTH_MAX; depth++) claims = derive(claims, {});
  assert.equal(claims.path.length, DEPTH_MAX + 1);
  assert.throws(() => derive(claims, {}), { code: 'invalid_attenuation' });
});
