import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getExactlyOne, type Sql } from '#core/sql.ts';
import { expression, insertOwned } from '#core/write-rows.ts';
import type { SubmitFeedbackRequest } from './contract.ts';

export interface NewFeedback {
  readonly id: string;
  readonly user_id: string;
  readonly reference: string;
  readonly request: SubmitFeedbackRequest;
  readonly created_at: Date;
}

/** Stores a feedback once and returns its reference; an equal body returns the reference of the first. */
export async function keepFeedback(
  scope: OrganizationScope,
  sql: Sql,
  { request, ...feedback }: NewFeedback,
): Promise<string> {
  const { feedback_type: type, title = null, human_note: note = null } = request;
  const uuid = request.request_uuid.startsWith('req_')
    ? request.request_uuid
    : request.request_uuid.toLowerCase();
  const json =
    request.json_body === null || request.json_body === undefined ? null : JSON.stringify(request.json_body);
  // The update changes no value; it makes the statement return the existing row.
  const rows = await sql.query<{ reference: string }>(
    ...insertOwned(
      scope,
      'feedback',
      {
        ...feedback,
        request_uuid: uuid,
        feedback_type: type,
        title,
        human_note: note,
        json_body: json,
        body_digest: expression`encode(sha256(convert_to(jsonb_build_array(
          ${type}::text, ${uuid}::text, ${title}::text, ${note}::text, ${json}::jsonb)::text, 'UTF8')), 'hex')`,
      },
      'on conflict (organization_id, body_digest) do update set body_digest = excluded.body_digest returning reference',
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
