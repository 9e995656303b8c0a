/** From the engine's words to the published ones, which are fewer; the engine's own words stand beside them. */
import type { BindingModel } from './engine/kinetics/evidence.ts';
import type { Binding, Expression } from './engine/types.ts';
import type { AffinityReplicate, AffinityResult } from '#features/results/contract.ts';

type Model = BindingModel | 'steady_state';
type FitName = NonNullable<AffinityReplicate['method']>;
type ModelKind = NonNullable<AffinityResult['binding_model']>[number];

/** Models in which two kinds of contact each have rates of their own. */
const TWO_SITED: ReadonlySet<Model> = new Set(['heterogeneous_ligand', 'bivalent_analyte']);

export function getFitName(model: Model): FitName {
  return TWO_SITED.has(model) ? '2:1' : '1:1';
}

export function getModelKind(model: Model): ModelKind {
  return model === 'bivalent_analyte' ? 'bivalent_analyte' : 'standard';
}

/** An inconclusive response is unknown to whoever knows only yes and no. */
export function getPublishedBinding(binding: Binding): NonNullable<AffinityReplicate['binding']> {
  if (binding === 'binder') return 'true';
  return binding === 'non_binder' ? 'false' : 'unknown';
}

/** A sensor without protein has low expression too; that there is none is said by the outcome. */
export function classifyPublishedExpression(expression: Expression): 'high' | 'low' | null {
  if (expression === 'unknown') return null;
  return expression === 'expressed' ? 'high' : 'low';
}
