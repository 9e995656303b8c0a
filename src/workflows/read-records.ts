/** Single records that belong to one noun: targets, sequences, results, the caller. */
import { fail } from '#core/failures.ts';
import type { PublicContext, ReadContext } from '#core/context.ts';
import { Answer, type Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import { RawJson } from '#core/raw-json.ts';
import { organizationsOfUser } from '#domain/organizations/store.ts';
import {
  PARQUET_MEDIA,
  type getResultCurves,
  type getResultInfo,
  type getResultPlot,
} from '#domain/results/contract.ts';
import { curvesCsv } from '#presentation/data-package/csv.ts';
import { curvesParquet } from '#presentation/data-package/parquet.ts';
import { drawResult } from '#presentation/figures/result-figure.ts';
import { writeSvg } from '#presentation/svg.ts';
import { findCurves, findResultJson } from '#domain/results/store.ts';
import type { getSequenceInfo } from '#domain/sequences/contract.ts';
import { findSequence } from '#domain/sequences/store.ts';
import type { getTargetInfo } from '#domain/targets/contract.ts';
import { findTargetJson } from '#domain/targets/store.ts';
import { withPackageLinks } from './package-link.ts';

export async function target(input: Input<typeof getTargetInfo>, context: ReadContext): Promise<RawJson> {
  const { site, sql, principal } = context;
  const json = await findTargetJson(scopeOf(principal), sql, input.params.target_id, site.baseUrl);
  if (json === undefined) throw fail('target_not_found');
  return new RawJson(json);
}

export async function sequence(input: Input<typeof getSequenceInfo>, context: ReadContext) {
  const row = await findSequence(scopeOf(context.principal), context.sql, input.params.sequence_id);
  if (row === undefined) throw fail('sequence_not_found');
  return {
    id: row.id,
    name: row.name,
    aa_string: row.aa_string,
    length: row.length,
    is_control: row.is_control,
    control: row.is_control,
    metadata: row.metadata,
    created_at: row.created_at,
    experiment: {
      experiment_id: row.experiment_id,
      experiment_code: row.experiment_code,
      experiment_status: row.experiment_status,
    },
  };
}

export async function result(input: Input<typeof getResultInfo>, context: ReadContext): Promise<RawJson> {
  const apiUrl = `${context.site.baseUrl}/api/v1`;
  const json = await findResultJson(scopeOf(context.principal), context.sql, input.params.result_id, apiUrl);
  if (json === undefined) throw fail('result_not_found');
  return withPackageLinks(context, new RawJson(json));
}

async function requireCurves(resultId: string, context: ReadContext) {
  const curves = await findCurves(scopeOf(context.principal), context.sql, resultId);
  if (curves === undefined) throw fail('result_not_found');
  return curves;
}

export async function resultCurves(input: Input<typeof getResultCurves>, context: ReadContext) {
  const found = await requireCurves(input.params.result_id, context);
  const media = preferredMedia(input.headers.accept);
  if (media === PARQUET_MEDIA) {
    return new Answer(200, Buffer.from(await curvesParquet(found)), { 'content-type': PARQUET_MEDIA });
  }
  if (media === CSV_MEDIA) {
    return new Answer(200, curvesCsv(found), { 'content-type': 'text/csv; charset=utf-8' });
  }
  return {
    result_id: input.params.result_id,
    experiment_code: found.experiment_code,
    sequence_name: found.sequence_name,
    signal_unit: found.signal_unit,
    curves: [...found.curves],
  };
}

export async function resultPlot(input: Input<typeof getResultPlot>, context: ReadContext): Promise<Answer> {
  const found = await requireCurves(input.params.result_id, context);
  return new Answer(200, writeSvg(drawResult(found)), { 'content-type': 'image/svg+xml; charset=utf-8' });
}

const CSV_MEDIA = 'text/csv';
const JSON_MEDIA = 'application/json';
const CURVE_MEDIA: ReadonlySet<string> = new Set([JSON_MEDIA, CSV_MEDIA, PARQUET_MEDIA]);

/** The one that is named first of those that there are; JSON when none is. */
function preferredMedia(accept: string | undefined): string {
  const wanted = (accept ?? '').split(',').map((part) => part.split(';')[0]?.trim() ?? '');
  return wanted.find((media) => CURVE_MEDIA.has(media)) ?? JSON_MEDIA;
}

export async function whoAmI(_input: unknown, context: ReadContext) {
  const { principal, sql } = context;
  const all = await organizationsOfUser(labScope, sql, principal.userId);
  const memberships = principal.restrictions.isAttenuated
    ? all.filter(({ id }) => id === principal.organizationId)
    : all;
  return {
    user_id: principal.userId,
    active_organization_id: principal.organizationId,
    organizations: memberships.map(({ id, name, role }) => ({
      id,
      name,
      role,
      active: id === principal.organizationId,
    })),
    permissions: [...principal.permissions].sort(),
    token_expires_at: principal.tokenExpiresAt,
  };
}

export async function liveness(_input: unknown, _context: PublicContext) {
  return { status: 'ok' };
}
