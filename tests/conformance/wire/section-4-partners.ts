import type { WireRule } from './rules.ts';

export const section4Partners: readonly WireRule[] = [
  {
    rule: 'A partner mints a token for a new organization; it lives 90 days unless the request says otherwise.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title: 'mint_token: a new organization → a token of a new member for 90 days',
    },
  },
  {
    rule: 'A partner mints a token for an organization of its own, with any role.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title: 'mint_token: an existing organization of the partner → further users of any role',
    },
  },
  {
    rule: 'A known user is 409 always.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title: 'user_already_exists: a known address in another case → 409 and nothing is created',
    },
  },
  {
    rule: 'The end is in the future and at most one year away.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title: 'invalid_request: a malformed field of mint_token → 400 names it',
    },
  },
  {
    rule: 'An organization that the partner did not make is 404.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title:
        'organization_not_found: an organization that is not the partner’s own → the same 404 as an unknown one',
    },
  },
  {
    rule: 'GET /partners/tokens lists what this partner minted, and nothing else.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title: 'list_partner_tokens: tokens of two partners → each sees what it minted, without values',
    },
  },
  {
    rule: 'Renewal gives a new value for the same user and organization, and revokes the old one at once.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title:
        'renew_partner_token: a minted token → a new value of the same user; the old one and what it made end at once',
    },
  },
  {
    rule: 'Renewal follows the rules of minting for its end, also after the end or a revocation.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title:
        'renew_partner_token: an expired or revoked token → renewed all the same; expires_at follows the rules of minting',
    },
  },
  {
    rule: 'A token is renewed once.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title: 'token_renewed_already: renewed twice, one after the other or eight at once → one new token',
    },
  },
  {
    rule: 'A repeated renewal with its key answers the same value.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title: 'renew_partner_token: the same Idempotency-Key again → the same value',
    },
  },
  {
    rule: 'A partner revokes what it minted.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title: 'revoke_partner_token: a minted token → dead at once; a repeat → the first time',
    },
  },
  {
    rule: 'A token that this partner did not mint is 404.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title:
        'token_not_found: a token that this partner did not mint → the same 404 for renewing and revoking',
    },
  },
  {
    rule: 'A restricted token grants nothing.',
    test: {
      file: 'tests/operations/partners.test.ts',
      title: 'token_restricted: a derived token of a partner → renews nothing',
    },
  },
];
