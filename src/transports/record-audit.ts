/** Writes the entry of a call in the audit trail, in the transaction of its effect. */
import type { Principal } from '#core/principal.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { recordAct } from '#features/audit/record-change.ts';
import type { Reply } from '#core/reply.ts';
import type { Call, DispatcherParts } from './dispatch.ts';
import type { AnyInput } from '#features/binding.ts';

/** Finds what an entry of the audit trail is about. */
const SUBJECT_FIELDS = ['experiment_id', 'id', 'token_id', 'user_id'] as const;

/** The id in the path; without one, the id that the answer gives to what was made. */
function findSubject(input: AnyInput, body: unknown): string | null {
  const [named] = Object.values(input.params);
  if (typeof named === 'string') return named;
  if (typeof body !== 'object' || body === null) return null;
  const record: Readonly<Record<string, unknown>> = { ...body };
  const value = SUBJECT_FIELDS.map((field) => record[field]).find(
    (candidate) => typeof candidate === 'string',
  );
  return typeof value === 'string' ? value : null;
}

export type Details = Readonly<Record<string, unknown>> | null;

export async function recordAudit(
  parts: DispatcherParts,
  call: Call,
  tx: Transaction,
  {
    principal,
    concerned,
    details = null,
  }: { readonly principal: Principal; readonly concerned: string; readonly details?: Details },
  reply: Reply,
): Promise<void> {
  await recordAct(parts, tx, createOrganizationScope(concerned), {
    by: principal,
    operation: call.binding.operation.id,
    subject: findSubject(call.input, reply.body),
    status: reply.status,
    details,
    origin: call,
  });
}
