import type { WireRule } from './rules.ts';

export const section7: readonly WireRule[] = [
  {
    rule: 'Every error body has `error`, `request_id` and `code`, and is application/json unless the request asks for problem+json.',
    test: {
      file: 'tests/hostile/queries.test.ts',
      title: 'Accept: application/problem+json, or anything else → a problem document, or plain JSON',
    },
  },
  {
    rule: 'Every code stands in one catalog, and the `type` of a problem document is the address of its page.',
    test: {
      file: 'tests/journeys/docs.test.ts',
      title: 'errors: the type of a problem document → a page with cause and remedy, for every failure code',
    },
  },
  {
    rule: 'A problem document is declared for every refusal and fits its schema.',
    test: {
      file: 'tests/conformance/openapi.test.ts',
      title: 'openapi: a refusal as application/problem+json → declared for its status, and fits its schema',
    },
  },
  {
    rule: 'Where several problems apply, `problems[]` names each with its path.',
    test: {
      file: 'tests/operations/experiments.test.ts',
      title: 'invalid_experiment: problems of schema and content → all in one answer',
    },
  },
  {
    rule: 'Every answer has a request id `req_` and a UUID version 7, in its header and in its error body.',
    test: {
      file: 'tests/hostile/queries.test.ts',
      title:
        'request id: a success and a refusal → req_ and a UUID of version 7, the same in header and body',
    },
  },
  {
    rule: 'Every POST and PATCH honors `Idempotency-Key`; the key with another body is 422.',
    test: {
      file: 'tests/matrix/door.test.ts',
      title: 'idempotency_key_reused: every POST, PATCH and other write gets a key of another request → 422',
    },
  },
  {
    rule: 'A POST that only computes honors the key as well.',
    test: {
      file: 'tests/matrix/races.test.ts',
      title:
        'idempotency_key: an estimate or a validation is repeated with its key → the first answer; another body → 422',
    },
  },
  {
    rule: 'The same key with the same body replays the first answer, and acts once.',
    test: {
      file: 'tests/matrix/races.test.ts',
      title: 'idempotency_key: create_exp sent 20 times at once → one effect and one answer',
    },
  },
  {
    rule: 'A key is kept for 24 hours at least.',
    test: {
      file: 'tests/matrix/races.test.ts',
      title: 'idempotency_key: the same request a day later → the first answer',
    },
  },
  {
    rule: 'A key whose first request is still running is 409.',
    test: {
      file: 'tests/matrix/door.test.ts',
      title:
        'idempotency_in_flight, overloaded: another request holds the row → 409 or 503 after a bounded wait',
    },
  },
  {
    rule: 'A malformed key is refused.',
    test: {
      file: 'tests/matrix/door.test.ts',
      title: 'idempotency_key_invalid: every POST, PATCH and other write gets a key with a space → 400',
    },
  },
  {
    rule: 'The tokens of one family share one bucket.',
    test: {
      file: 'tests/tokens/rate-limit.test.ts',
      title: 'rate_limited: 22 tokens of one family → together as many of 300 requests as one token alone',
    },
  },
  {
    rule: 'The tokens of one organization share one bucket.',
    test: {
      file: 'tests/tokens/rate-limit.test.ts',
      title: 'rate_limited: the tokens of one organization → share its limit, and others are not affected',
    },
  },
  {
    rule: '`RateLimit` and `RateLimit-Policy` tell both limits.',
    test: {
      file: 'tests/tokens/rate-limit.test.ts',
      title: 'RateLimit header: limits for token and organization → both policies with what is left',
    },
  },
  {
    rule: 'An empty bucket is 429 with `Retry-After`.',
    test: {
      file: 'tests/matrix/door.test.ts',
      title: 'rate_limited: the bucket is empty → every operation answers 429, and time fills it',
    },
  },
  {
    rule: 'A missing, invalid, expired or revoked token is 401.',
    test: {
      file: 'tests/matrix/permissions.test.ts',
      title:
        'unauthenticated: list_experiments gets a token that is not valid → 401 with the code of the reason',
    },
  },
  {
    rule: 'The challenge of a refused token says `invalid_token`; without a token it says nothing.',
    test: {
      file: 'tests/tokens/revocation.test.ts',
      title:
        'invalid_token: a token that is revoked, expired or unreadable → WWW-Authenticate names the error; none → it names none',
    },
  },
  {
    rule: 'A lack of permission is 403.',
    test: {
      file: 'tests/matrix/permissions.test.ts',
      title: 'permission_denied: list_experiments by every role → only roles with experiment:list may',
    },
  },
  {
    rule: 'A thing of another organization is 404, like an unknown one.',
    test: {
      file: 'tests/matrix/permissions.test.ts',
      title: 'not found: get_exp_info for a record of another organization → the same answer as for none',
    },
  },
  {
    rule: 'A 401 that needs `Authorization` for a payment names the header for the token.',
    test: {
      file: 'tests/journeys/branding.test.ts',
      title:
        'unauthenticated: Authorization carries a payment → the answer names the other header; otherwise → it does not',
    },
  },
  {
    rule: 'A 402 that needs `Authorization` for a payment names the header for the token.',
    test: {
      file: 'tests/payments/mpp-sandbox.test.ts',
      title: 'payment_required: a rail of the Payment scheme → the 402 names the header for the API token',
    },
  },
];
