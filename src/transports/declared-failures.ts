/** Lists every expected failure of an operation: its own, and those that follow from its parameters and body. */
import { getFailureStatus, type FailureCode } from '#core/failures.ts';
import { takesIdempotencyKey, type Operation } from '#core/operation.ts';
import { isOpenToLimited } from '#workflows/order/limit-to-experiments.ts';
import type { Binding } from '#features/binding.ts';
import { doorFailures } from './dispatch.ts';

export function listDeclaredFailures(binding: Binding): FailureCode[] {
  const { operation } = binding;
  return [
    ...new Set<FailureCode>([
      ...operation.failures,
      ...listIdentityFailures(operation),
      ...listFormFailures(operation),
      ...(takesIdempotencyKey(operation) ? repetitionFailures : []),
    ]),
  ];
}

export function groupFailuresByStatus(binding: Binding): Map<number, FailureCode[]> {
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of listDeclaredFailures(binding)) {
    const status = getFailureStatus(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

const repetitionFailures: readonly FailureCode[] = [
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'idempotency_in_flight',
];

function listIdentityFailures(operation: Operation): readonly FailureCode[] {
  const { permission } = operation;
  if (permission === 'public') return [];
  if (permission === 'any') return doorFailures;
  return [
    ...doorFailures,
    'permission_denied',
    ...(isOpenToLimited(operation) ? [] : (['token_restricted'] as const)),
  ];
}

const bodyFailures: readonly FailureCode[] = [
  'malformed_json',
  'body_not_utf8',
  'body_too_large',
  'body_too_deep',
  'body_too_complex',
  'content_encoding_not_served',
  'bodies_in_flight',
];

/** Every request can be unreadable in its address, its query or its headers. */
function listFormFailures({ method, params, query, body, bodyMode, text, upload }: Operation): FailureCode[] {
  const codes: FailureCode[] = ['expectation_failed', 'invalid_request'];
  if (query?.properties.filter !== undefined) codes.push('query_too_expensive');
  if (params !== undefined) codes.push('address_too_long');
  if (body !== undefined && text === undefined) codes.push('body_not_json');
  if (text !== undefined) codes.push('media_type_not_served', 'content_type_unreadable');
  if (body !== undefined) codes.push(...bodyFailures);
  if (upload !== undefined)
    codes.push('body_too_large', 'content_type_unreadable', 'content_encoding_not_served');
  // An unexpected body is not read, but its type is checked.
  if (body === undefined && upload === undefined && method !== 'GET') codes.push('body_not_json');
  if (body !== undefined && bodyMode !== 'optional') codes.push('body_required');
  return codes;
}
