/** The signed end of a chain, and the keys that verify its signature. */
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, strict, Timestamp, Type, Uuid } from '#core/schema.ts';

const headFields = {
  organization_id: describe(Uuid, 'whose chain it is'),
  position: Type.Integer({ description: 'position of the last entry of the chain; 0 for an empty chain' }),
  hash: Type.String({ description: 'hash of that entry; 64 zeros for an empty chain' }),
  signed_at: describe(Timestamp, 'when the service said so, UTC'),
  nonce: Nullable(Type.String(), { description: 'the nonce of the request; null without one' }),
};

export const AuditHead = Type.Object({
  ...headFields,
  jws: Type.String({
    description:
      'the fields above, signed: a compact JWS (RFC 7515) of the algorithm EdDSA and the type `asy-audit-head+jws`',
  }),
});

const PublicKey = Type.Object({
  kty: Type.String({ description: 'OKP' }),
  crv: Type.String({ description: 'Ed25519' }),
  x: Type.String({ description: 'the public key, base64url' }),
  kid: Type.String({ description: 'names the key in the header of a signature' }),
  alg: Type.String({ description: 'EdDSA' }),
  use: Type.String({ description: 'sig' }),
});

export const getAuditHead = defineOperation({
  id: 'get_audit_head',
  method: 'GET',
  path: '/audit/head',
  tag: 'audit',
  summary: 'Get the signed end of the audit trail of your organization',
  description:
    'Keep it: with an earlier head you see whether entries were removed from the end, changed, or written anew since.',
  effect: 'read',
  permission: 'policy:read',
  query: Type.Object(
    {
      nonce: Type.Optional(
        Type.String({
          pattern: '^[\\w-]{1,64}$',
          description:
            '1 to 64 letters, digits, `-` and `_`, which the signature then covers: proof that the answer is a new one',
        }),
      ),
    },
    strict,
  ),
  output: AuditHead,
  failures: [],
  example: {
    query: { nonce: 'f3b1c9' },
    output: {
      organization_id: '01980000-0000-7000-8000-0000000000b1',
      position: 214,
      hash: '5d41402abc4b2a76b9719d911017c592ae2f2ac1b5d4c0c1a2d9a4f0e1c3b2a1',
      signed_at: '2026-01-20T09:00:00.000Z',
      nonce: 'f3b1c9',
      jws: 'eyJhbGciOiJFZERTQSIsImtpZCI6IkF2UkN4VDBhIiwidHlwIjoiYXN5LWF1ZGl0LWhlYWQrandzIn0.e30.c2ln',
    },
  },
});

export const listSigningKeys = defineOperation({
  id: 'list_signing_keys',
  method: 'GET',
  path: '/audit/keys',
  tag: 'audit',
  summary: 'List the public keys that verify signed heads of audit trails',
  description: 'A JSON Web Key Set (RFC 7517), earlier keys included. Anybody may read it.',
  effect: 'read',
  permission: 'public',
  output: Type.Object({ keys: Type.Array(PublicKey, { description: 'newest first' }) }),
  failures: [],
  example: {
    output: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          kid: 'AvRCxT0a',
          alg: 'EdDSA',
          use: 'sig',
        },
      ],
    },
  },
});
