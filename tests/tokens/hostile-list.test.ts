/** The list of what hostile callers try, line by line, with the tests that try it: none of them may get lost. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const TESTS = join(import.meta.dirname, '..');

/** Line: what it is about, and where it is tested, as `file: beginning of the test's name`. */
const lines: readonly (readonly [line: string, tests: readonly string[]])[] = [
  [
    '1. a child is never more than its parent; the order is irrelevant; a later end never extends',
    ['tokens/attenuation: child ⊆ parent', 'tokens/attenuation: order', 'tokens/attenuation: expires_at'],
  ],
  [
    '2. empty lists, null, unknown keys, actions, resources and dates',
    ['tokens/hostile: specification: ${what}', 'tokens/hostile: specification: null sets no limit'],
  ],
  [
    '3. attenuation of the tokens of others, a wrong parent, a token without token:read',
    ['tokens/hostile: token of the body', 'tokens/hostile: parent', 'tokens/hostile: escape'],
  ],
  [
    '4. ids of another organization',
    [
      'matrix/permissions: not found',
      'conformance/mcp-callers: organizations: a record of another organization',
    ],
  ],
  [
    '5. revocation of a root and of a middle, in every process, on REST and at the tool protocol',
    [
      'tokens/processes: revocation: of a root',
      'tokens/processes: revocation: of a middle',
      'tokens/processes: revocation: a child whose own row',
      'tokens/oauth-processes: hostile 5 and 13, sign-out',
    ],
  ],
  [
    '6. members who are removed or demoted',
    ['tokens/processes: membership', 'conformance/mcp-callers: membership'],
  ],
  ['7. time: the second of exp, and iat', ['tokens/forgery: time']],
  [
    '8. payloads, padding, newlines, base64, duplicate keys, key ids, length, depth',
    [
      'tokens/forgery: flips',
      'tokens/forgery: spelling',
      'tokens/forgery: keys',
      'tokens/forgery: claims',
      'tokens/hostile: duplicate keys',
      'tokens/hostile: depth',
    ],
  ],
  [
    '9. an OAuth JWT on REST, a token of another environment, alg none and HS256',
    [
      'tokens/oauth: hostile 9, OAuth JWT on REST',
      'tokens/oauth: hostile 9 and 13, forged access tokens',
      'tokens/forgery: algorithms',
      'tokens/forgery: environment',
    ],
  ],
  [
    '10. a token in the query or a cookie, two Authorization headers, two credentials',
    [
      'tokens/hostile: elsewhere',
      'tokens/hostile: two credentials',
      'hostile/sockets: unauthenticated: two Authorization headers',
    ],
  ],
  [
    '11. secrets in logs, errors and traces',
    [
      'tokens/hostile: secrets',
      'hostile/secrets: secrets: an experiment from draft to results',
      'conformance/mcp-door: secrets',
    ],
  ],
  [
    '12. the tool protocol: denials, Host and Origin, batches, contradictions, size, 100 callers',
    [
      'conformance/mcp-door: Host and Origin',
      'conformance/mcp-door: messages',
      'conformance/mcp-door: protocol 2026-07-28: a header contradicts',
      'conformance/mcp-door: body_too_large: a body beyond 16 MiB',
      'conformance/mcp-callers: concurrency: ${CALLERS} callers',
    ],
  ],
  [
    '13. OAuth: refusals, code replay, sign-out, refresh reuse, iss, registration flood, consent forgery',
    [
      'tokens/oauth-refusals: hostile 13, registration: a redirect',
      'tokens/oauth-refusals: hostile 13, authorization',
      'tokens/oauth-refusals: hostile 13, registration flood',
      'tokens/oauth: hostile 13, code replay',
      'tokens/oauth: hostile 13, sign-out',
      'tokens/oauth: hostile 13, refresh reuse',
      'tokens/oauth: hostile 13, consent request forgery',
      'conformance/mcp-oauth: hostile 13, iss mismatch',
    ],
  ],
];

for (const [line, tests] of lines) {
  test(`hostile list: ${line} → each test it names exists`, () => {
    for (const named of tests) {
      const [file = '', ...name] = named.split(': ');
      const text = readFileSync(join(TESTS, `${file}.test.ts`), 'utf8');
      const title = name.join(': ');
      const isThere = ["test('", 'test(`'].some((opening) => text.includes(opening + title));
      assert.ok(isThere, `${file}.test.ts has no test that begins with "${title}"`);
    }
  });
}
