/** The rule of who gives rights, over random credentials: nobody gives what they could not do themselves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import type { AttenuationSpec, PaymentPolicy, TokenClaims } from '#core/capability.ts';
import { Failure } from '#core/failures.ts';
import { authorizeAttenuation, authorizeGrant, type Grant } from '#core/grants.ts';
import { actions, resources, rolePermissions, roles } from '#core/permissions.ts';
import type { Credential, Principal } from '#core/principal.ts';
import { createAttenuatedClaims, buildPrincipal } from '#features/tokens/rules.ts';

const RUNS = Number(process.env.ASSAYER_TOKEN_CHAINS ?? '20000');
const NOW = new Date('2026-03-02T09:00:00.000Z');
const NOW_S = NOW.getTime() / 1_000;
const createId = (n: number): string => `01980000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const drawMaybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const steps: fc.Arbitrary<AttenuationSpec> = fc
  .record({
    read_only: drawMaybe(fc.boolean()),
    non_destructive: drawMaybe(fc.boolean()),
    allowed_actions: drawMaybe(fc.subarray([...actions], { minLength: 8 })),
    allowed_resources: drawMaybe(fc.subarray([...resources], { minLength: 18 })),
    allowed_org_ids: drawMaybe(fc.constant([createId(1)])),
    max_spend_cents: drawMaybe(fc.nat()),
    resource_ids: drawMaybe(fc.constant([createId(7)])),
  })
  .map((step) => JSON.parse(JSON.stringify(step)));

const policies: fc.Arbitrary<PaymentPolicy | undefined> = drawMaybe(
  fc.record({ methods: fc.constant(['x402-exact'] as const), max_spend_cents: fc.option(fc.nat()) }),
);

const credentials = fc.record({
  role: fc.constantFrom(...roles),
  present: fc.constantFrom(...roles),
  isPartner: fc.boolean(),
  chain: fc.array(steps, { maxLength: 3 }),
  policy: policies,
  credential: fc.constantFrom<Credential>('session', 'token', 'oauth'),
  lifeS: fc.integer({ min: 1, max: 1_000_000 }),
});

type Given = typeof credentials extends fc.Arbitrary<infer Value> ? Value : never;

interface Held {
  readonly claims: TokenClaims;
  readonly principal: Principal;
  /** Written apart from the code under test. */
  readonly isRestricted: boolean;
}

function createHeld(holder: Given): Held {
  const { role, present, isPartner, lifeS, credential } = holder;
  // A session is a person, without limits; a program has a step and no policy.
  const chain = credential === 'session' ? [] : credential === 'oauth' ? [{}] : holder.chain;
  const pay = credential === 'token' && holder.policy !== undefined ? { pay: holder.policy } : {};
  const root: TokenClaims = {
    v: 1,
    env: 'sandbox',
    tid: createId(9),
    path: [createId(9)],
    sub: createId(8),
    org: createId(1),
    role,
    iat: NOW_S,
    exp: NOW_S + lifeS,
    ...pay,
  };
  const derive = (parent: TokenClaims, spec: AttenuationSpec, n: number) =>
    createAttenuatedClaims(parent, { id: createId(10 + n), spec }, NOW);
  const claims = chain.reduce(derive, root);
  const standing = {
    revoked: false,
    member_role: present,
    user_email: 'a@example.org',
    organization_slug: 'DEMO',
    staff_roles: [],
    is_partner: isPartner,
  };
  const isRestricted = credential === 'oauth' || chain.length > 0 || 'pay' in pay;
  return { claims, principal: buildPrincipal(claims, standing, { credential }), isRestricted };
}

function attempt(grant: () => Grant): Grant | string {
  try {
    return grant();
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

test(`granted ⊆ granter: ${RUNS} random credentials and every kind of right → nobody gives more than they have`, () => {
  const kinds = fc.constantFrom('membership', 'token', 'client', 'consent', 'device_login');
  fc.assert(
    fc.property(credentials, kinds, fc.constantFrom(...roles), (given, kind, role) => {
      const { principal, isRestricted } = createHeld(given);
      const granted = attempt(() => authorizeGrant(principal, kind, { role }));
      const isWithin = [...rolePermissions[role]].every((each) => principal.permissions.has(each));
      if (isRestricted) assert.equal(granted, 'token_restricted');
      else if (!isWithin) assert.equal(granted, 'token_role_exceeded');
      else {
        assert.ok(typeof granted !== 'string', JSON.stringify(granted));
        assert.deepEqual([granted.role, granted.organizationId], [role, createId(1)]);
        const end = Date.parse(principal.tokenExpiresAt ?? '');
        if (kind === 'token' && given.credential === 'token')
          assert.ok((granted.latestEnd?.getTime() ?? Infinity) <= end);
      }
    }),
    { numRuns: RUNS },
  );
});

test('attenuation: a restricted credential, or a program → derives only within itself, or nothing', () => {
  fc.assert(
    fc.property(credentials, credentials, (given, other) => {
      const { principal, claims, isRestricted } = createHeld(given);
      for (const parent of [
        claims,
        { ...createHeld(other).claims, path: [createId(99)], tid: createId(99) },
      ]) {
        const from = {
          path: parent.path,
          organizationId: parent.org,
          role: parent.role,
          expiresAt: new Date((parent.exp ?? 0) * 1_000),
        };
        const granted = attempt(() => authorizeAttenuation(principal, from));
        const isOwn = parent.path.includes(principal.tokenId);
        if (given.credential === 'oauth' || (isRestricted && !isOwn))
          assert.equal(granted, 'token_restricted');
        else {
          assert.ok(typeof granted !== 'string', JSON.stringify(granted));
          assert.deepEqual([granted.role, granted.latestEnd], [parent.role, from.expiresAt]);
        }
      }
    }),
    { numRuns: RUNS / 10 },
  );
});
