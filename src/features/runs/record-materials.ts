import type { WriteContext } from '#core/context.ts';
import { createInvalidFieldsFailure, fail, type Problem } from '#core/failures.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { MaterialEntry, recordMaterials as operation } from '../materials/contract.ts';
import { findStockProblem, type AntigenStock, type Material } from '../materials/rules.ts';
import { putMaterials, selectMaterials } from '../materials/store.ts';
import { holdExperiment } from './raw-files/lab-step.ts';
import { moveToQueue } from './raw-files/receive-materials.ts';
import { scheduleLab } from './raw-files/schedule-lab.ts';
import { countMissing, describeMaterials, readAntigenStock } from '../materials/materials-record.ts';

/** Between the acceptance of the quote and the run. */
const STATES: ReadonlySet<ExperimentStatus> = new Set(['waiting_for_materials', 'in_queue']);

/** `PATCH /lab/experiments/{experiment_id}/materials`. */
export async function recordMaterials(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock, principal } = context;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  if (!STATES.has(experiment.status))
    throw fail('move_not_allowed', { status: experiment.status, action: 'have its materials recorded' });
  const at = clock.now();
  const before = await selectMaterials(labScope, tx, [experiment.id]);
  const stock = await readAntigenStock(tx, experiment);
  const changed = applyEntries(before, input.body.materials, stock);
  const scope = createOrganizationScope(experiment.organization_id);
  const by = { recorded_by: principal.userEmail, at };
  await putMaterials(scope, tx, { experiment_id: experiment.id, ...by }, changed);
  const bySubject = new Map(changed.map((each) => [each.subject_id, each]));
  const after = before.map((each) => {
    const own = bySubject.get(each.subject_id);
    if (own === undefined) return each;
    if (own.status === 'missing') return { ...own, recorded_by: null, updated_at: null };
    return { ...own, recorded_by: by.recorded_by, updated_at: at.toISOString() };
  });
  let current = experiment;
  if (experiment.status === 'waiting_for_materials' && countMissing(after, at) === 0) {
    current = await moveToQueue(context, tx, experiment);
    await scheduleLab(context, tx, current);
  }
  return { ...describeMaterials(current, after, { stock, at }), previous_status: experiment.status };
}

/** Throws `invalid_request` with every entry that is wrong. */
function applyEntries(
  materials: readonly Material[],
  entries: readonly MaterialEntry[],
  stock: AntigenStock | null,
): Material[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const changed = entries.flatMap((entry, index): Material[] => {
    const path = `materials.${index}`;
    const knownMaterial = materials.find(({ kind, subject_id: subjectId }) =>
      entry.sequence_id === null
        ? kind === 'antigen'
        : kind === 'sequence' && subjectId === entry.sequence_id,
    );
    if (knownMaterial === undefined) {
      const message =
        entry.sequence_id === null
          ? 'is null, and the experiment has no antigen; name one of its sequences'
          : 'is no sequence of the experiment; read them with get_lab_materials';
      problems.push({ path: `${path}.sequence_id`, message });
      return [];
    }
    if (seen.has(knownMaterial.subject_id)) {
      problems.push({ path: `${path}.sequence_id`, message: 'is named twice; send each material once' });
      return [];
    }
    seen.add(knownMaterial.subject_id);
    const material = applyEntry(knownMaterial, entry, stock);
    const problem = material.status === 'in_stock' ? findStockProblem(material, stock) : null;
    if (problem !== null) problems.push({ path: `${path}.status`, message: problem });
    if (entry.form === 'gene_fragment' && knownMaterial.kind === 'antigen')
      problems.push({ path: `${path}.form`, message: 'is for sequences; an antigen is a protein' });
    return [material];
  });
  if (problems.length > 0) throw createInvalidFieldsFailure(problems);
  return changed;
}

/** A material that is missing again keeps nothing of what was said about it. */
function applyEntry(material: Material, entry: MaterialEntry, stock: AntigenStock | null): Material {
  const isMissing = entry.status === 'missing';
  const stockLot = entry.status === 'in_stock' ? (stock?.lot ?? null) : null;
  const choose = <Value>(value: Value | null | undefined, known: Value | null): Value | null =>
    isMissing ? null : value === undefined ? known : value;
  return {
    ...material,
    status: entry.status,
    form: entry.form ?? material.form,
    lot: choose(entry.lot, material.lot ?? stockLot),
    amount_ug: choose(entry.amount_ug, material.amount_ug),
    concentration_mg_per_ml: choose(entry.concentration_mg_per_ml, material.concentration_mg_per_ml),
    expires_on: choose(entry.expires_on, material.expires_on),
  };
}
