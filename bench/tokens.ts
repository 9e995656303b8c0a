/**
 * Verifying and authorizing a token that was derived four times, beside one Ed25519 verification of as many bytes: cold,
 * where no token has been seen before, and warm, where its claims are remembered. The database is not part of it.
 */
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { exportJWK } from 'jose';
import type { AttenuationSpec, TokenClaims } from '#core/capability.ts';
import { createKeyring, type Keyring } from '#features/tokens/capability.ts';
import { createAttenuatedClaims, buildPrincipal } from '#features/tokens/rules.ts';
import type { Report } from './support/report.ts';
import { computeMedian } from './support/statistics.ts';

const CALLS = 1_500;
const WARM_UP = 500;
const NOW = new Date('2026-03-02T09:00:00.000Z');
const CHAIN: readonly AttenuationSpec[] = [
  { non_destructive: true },
  { allowed_resources: ['experiment', 'result', 'sequence', 'quote'] },
  { allowed_actions: ['list', 'read', 'update'], max_spend_cents: 100_000 },
  { read_only: true },
];
const STANDING = {
  revoked: false,
  member_role: 'admin',
  user_email: 'a@example.org',
  staff_roles: [],
  is_partner: false,
  organization_slug: 'DEMO',
} as const;

const createId = (n: number): string => `01980000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

function createClaims(n: number): TokenClaims {
  const iat = NOW.getTime() / 1000;
  const root: TokenClaims = {
    v: 1,
    env: 'sandbox',
    tid: createId(n),
    path: [createId(n)],
    sub: createId(1),
    org: createId(2),
    role: 'admin',
    iat,
    exp: iat + 1_000_000,
  };
  return CHAIN.reduce(
    (parent, spec, step) => createAttenuatedClaims(parent, { id: createId(n + step + 1), spec }, NOW),
    root,
  );
}

async function authorize(keyring: Keyring, token: string): Promise<number> {
  const start = performance.now();
  const claims = await keyring.verify(token, NOW);
  const { permissions } = buildPrincipal(claims, STANDING);
  const took = performance.now() - start;
  if (!permissions.has('experiment:read') || permissions.has('experiment:update'))
    throw new Error('wrong answer: the chain does not hold');
  return took;
}

export async function run(): Promise<Report[]> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const [public_jwk, private_jwk] = [await exportJWK(publicKey), await exportJWK(privateKey)];
  const keyring = await createKeyring('sandbox', [{ kid: 'bench', public_jwk, private_jwk, retired: false }]);
  const tokens: string[] = [];
  for (let n = 0; n < CALLS + WARM_UP; n++) tokens.push(await keyring.sign(createClaims(n * 8)));
  const message = Buffer.from(tokens[0] ?? '');
  const signature = sign(null, message, privateKey);
  const [plain, cold, warm]: [number[], number[], number[]] = [[], [], []];
  // In turns, so that a busy moment of the machine meets all three.
  for (const [n, token] of tokens.entries()) {
    const start = performance.now();
    const isGood = verify(null, message, publicKey, signature);
    const took = performance.now() - start;
    if (!isGood) throw new Error('wrong answer: a good signature is refused');
    const [first, second] = [await authorize(keyring, token), await authorize(keyring, token)];
    if (n < WARM_UP) continue;
    plain.push(took);
    cold.push(first);
    warm.push(second);
  }
  const one = computeMedian(plain);
  return [
    {
      title: 'Tokens',
      findings: [
        { what: 'one Ed25519 verification', value: one * 1_000, unit: 'µs' },
        { what: 'depth 4, never seen', value: computeMedian(cold) * 1_000, unit: 'µs' },
        {
          what: '… times one verification',
          value: computeMedian(cold) / one,
          unit: '×',
          limit: { atMost: 1.6 },
        },
        { what: 'depth 4, remembered', value: computeMedian(warm) * 1_000, unit: 'µs' },
        {
          what: '… times one verification',
          value: computeMedian(warm) / one,
          unit: '×',
          limit: { atMost: 1.6 },
        },
      ],
      conditions: [
        `${CALLS} tokens of ${tokens[0]?.length ?? 0} characters, median; verified and their permissions worked out, without the database`,
      ],
    },
  ];
}
