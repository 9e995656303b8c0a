import type { WireRule } from './rules.ts';

const tokens = 'tests/operations/tokens.test.ts';
const hostile = 'tests/tokens/hostile.test.ts';
const revocation = 'tests/tokens/revocation.test.ts';
const escalation = 'tests/tokens/escalation.test.ts';
const grants = 'tests/tokens/grants.test.ts';
const spending = 'tests/tokens/spending.test.ts';
const programs = 'tests/tokens/programs.test.ts';
const attenuation = 'tests/tokens/attenuation.test.ts';

export const section4Tokens: readonly WireRule[] = [
  {
    rule: 'Permissions are written `resource:action` in lower case, and each role has those of the table in the guide.',
    test: { file: 'tests/tokens/guide.test.ts', title: 'token guide: its table of roles → equals the code' },
  },
  {
    rule: '`POST /tokens/attenuate` answers 201 with the id and the value of a token whose specification is kept as given.',
    test: {
      file: tokens,
      title: 'attenuate_token: a derived token → listed with its lineage and its specification as given',
    },
  },
  {
    rule: 'The limits of a chain intersect, so that it only narrows.',
    test: {
      file: attenuation,
      title:
        'child ⊆ parent: ${CHAINS} random chains → a child has exactly the permissions that every step allows',
    },
  },
  {
    rule: 'A later step gives nothing back.',
    test: { file: hostile, title: 'attenuation: a later step allows more → nothing comes back' },
  },
  {
    rule: 'An unknown or malformed field of an attenuation is a 400 that names it, never a wider token.',
    test: { file: hostile, title: 'specification: ${what} → 400 names the field' },
  },
  {
    rule: '`attenuated_parent_token_id` must be the id of the token in the body.',
    test: { file: hostile, title: 'parent: an id that is not that of the token → invalid_attenuation' },
  },
  {
    rule: 'Null sets no limit, and `allowed_org_ids` with another organization leaves no permission.',
    test: {
      file: hostile,
      title: 'specification: null sets no limit, and another organization → no permission remains',
    },
  },
  {
    rule: '`POST /tokens/revoke` revokes the root of the calling token and all its descendants.',
    test: {
      file: tokens,
      title: 'revoke_token: a token revokes itself → its family ends, other tokens live',
    },
  },
  {
    rule: 'Revoking again with the revoked token answers 200 with the first time and 0 children.',
    test: {
      file: revocation,
      title: 'revoke_token: repeated with the revoked token → 200 with the first time and no children',
    },
  },
  {
    rule: 'A token restricted in spending, time, resources or actions revokes itself and its descendants, never its root.',
    test: {
      file: revocation,
      title: 'revoke_token: a token limited by ${name} → ends itself and its descendants, never its root',
    },
  },
  {
    rule: 'Tokens that a token created with `POST /tokens` belong to its lineage and end with it.',
    test: {
      file: revocation,
      title: 'lineage: a root is revoked → every token made or derived from it ends',
    },
  },
  {
    rule: '`POST /tokens/{id}/revoke` revokes one token and its descendants.',
    test: {
      file: tokens,
      title: 'revoke_token_by_id: a derived token → its branch ends, its ancestors live',
    },
  },
  {
    rule: '`POST /tokens` creates a root token with a role and one of the lifetimes, whose value is shown once.',
    test: {
      file: tokens,
      title: 'create_token: a role and a lifetime → a root token whose value is shown once',
    },
  },
  {
    rule: 'A payment policy selects its first method where the request names none; `async_invoice` asks for the hosted invoice.',
    test: {
      file: 'tests/payments/machine-rail.test.ts',
      title: 'payment policy: a token for machines → pays by its first method, or by invoice when asked',
    },
  },
  {
    rule: 'A token with a payment policy pays by no rail that the policy does not name.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title:
        'token_restricted: a token with a payment policy → pays by its own methods or by invoice; another rail → 403',
    },
  },
  {
    rule: 'The experiment is pinned to the rail that was chosen at its creation.',
    test: {
      file: 'tests/operations/invoices.test.ts',
      title: 'method_rail_mismatch: another rail than that of the creation → 409',
    },
  },
  {
    rule: '`max_spend_cents` of a payment policy holds for the token and everything derived from it.',
    test: {
      file: spending,
      title: 'payment_policy: its spending limit → holds for the token and everything derived from it',
    },
  },
  {
    rule: '`max_spend_cents` is never exceeded by quotes that are accepted at the same moment.',
    test: {
      file: spending,
      title:
        'spend_limit_exceeded: ${CONFIRMS} confirmations at once → no more succeed than the limits allow',
    },
  },
  {
    rule: '`max_spend_cents` counts payments of invoices that others accepted, once each, also at the same moment.',
    test: {
      file: 'tests/operations/invoices.test.ts',
      title:
        'spend_limit_exceeded: tokens pay invoices that others accepted → each counts once, and two at once stay within the cap',
    },
  },
  {
    rule: '`resource_ids` limits a token to experiments, in lists and requests.',
    test: {
      file: revocation,
      title: 'token_restricted: a token limited to experiments lists tokens, by REST or as a tool → refused',
    },
  },
  {
    rule: '`whoami` answers the person, the organizations with the active one, the permissions and the end of the token.',
    test: {
      file: tokens,
      title: 'whoami: a viewer → the caller, the active organization and the permissions of the role',
    },
  },
  {
    rule: '`whoami` says what a root token, one with a payment policy and a derived one may still do.',
    test: {
      file: programs,
      title: 'whoami: a root token, one with a policy and a derived one → each says what it may still do',
    },
  },
  {
    rule: '`whoami` says what a token without a limit has spent.',
    test: {
      file: programs,
      title: 'whoami: a token without a limit accepts a quote → spent_cents is its price',
    },
  },
  {
    rule: '`whoami` says what a program that was let in over OAuth may still do.',
    test: {
      file: programs,
      title:
        'consent: a cap, an experiment and a day are chosen → whoami shows them, and the day ends the access',
    },
  },
  {
    rule: 'A derived token never outdoes its granter, whatever right is given.',
    test: {
      file: grants,
      title:
        'granted ⊆ granter: ${RUNS} random credentials and every kind of right → nobody gives more than they have',
    },
  },
  {
    rule: 'A token made with another token ends with it at the latest.',
    test: {
      file: tokens,
      title:
        'create_token: a token asks for a longer life than its own → the new one ends with it, also after several steps',
    },
  },
  {
    rule: 'Only an unrestricted credential invites people.',
    test: {
      file: escalation,
      title: 'token_restricted: a derived token that may only create people invites an administrator → 403',
    },
  },
  {
    rule: 'Only an unrestricted credential gives roles.',
    test: {
      file: escalation,
      title: 'token_restricted: a derived token makes a member administrator → 403',
    },
  },
  {
    rule: 'A token admitted over OAuth counts as restricted and gives no rights.',
    test: {
      file: escalation,
      title: 'token_restricted: a program over OAuth gives rights or makes tokens → refused',
    },
  },
  {
    rule: 'The ordinary expiry of a root token is no restriction: it makes tokens that end with it.',
    test: {
      file: tokens,
      title: 'create_token: a person in the browser → the token may outlive the session',
    },
  },
  {
    rule: 'The list shows tokens with their lineage and never a value.',
    test: { file: tokens, title: 'list_tokens: the own tokens → with their lineage, without their value' },
  },
  {
    rule: 'Operator has read and run; manager read, run, review, price and appoint; finance read and bill.',
    test: {
      file: 'tests/matrix/staff-roles.test.ts',
      title: 'staff roles: operator, manager, finance → exactly the permissions of the contract',
    },
  },
];
