import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getExactlyOne, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import type { SubmitFeedbackRequest } from './contract.ts';

export interface NewFeedback {
  readonly id: string;
  readonly userId: string;
  readonly reference: string;
  readonly request: SubmitFeedbackRequest;
  readonly createdAt: Date;
}

/** Stores a feedback once and returns its reference; a repeat returns the first reference. */
export async function keepFeedback(
  scope: OrganizationScope,
  sql: Sql,
  { id, userId, reference, request, createdAt }: NewFeedback,
): Promise<string> {
  // The update changes no value; it makes the statement return the existing row.
  const rows = await sql.query<{ reference: string }>(
    ...insertInto(
      'feedback',
      {
        id,
        organization_id: scope.organizationId,
        user_id: userId,
        request_uuid: request.request_uuid,
        reference,
        feedback_type: request.feedback_type,
        title: request.title ?? null,
        human_note: request.human_note ?? null,
        json_body:
          request.json_body === null || request.json_body === undefined
            ? null
            : JSON.stringify(request.json_body),
        created_at: createdAt,
      },
      'on conflict (organization_id, request_uuid) do update set request_uuid = excluded.request_uuid returning reference',
    ),
  );
  return getExactlyOne(rows).reference;
}

/** Lists the feedback of all organizations, for the lab. */
export function listFeedbackPage(_lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `f.id, f.reference, f.feedback_type, f.title, f.human_note, f.json_body, f.request_uuid, f.organization_id,
        o.name as organization_name, u.email as user_email, ${writeWireTime('f.created_at')} as created_at`,
      from: 'feedback f',
      alias: 'f',
      joins: [
        { alias: 'o', sql: 'join organizations o on o.id = f.organization_id' },
        { alias: 'u', sql: 'join users u on u.id = f.user_id' },
      ],
      where: 'true',
      values: [],
    },
    query,
  );
}
