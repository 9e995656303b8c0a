/** What staff say of the materials of one order, and the request that it makes. */
import { createInvalidFieldsFailure, Failure, type Problem } from '#core/failures.ts';
import type { MaterialsRecord } from '../contract.ts';
import { getField, type Form } from '#ui/http.ts';
import { readFilled } from '#ui/form.ts';

export type Material = MaterialsRecord['materials'][number];

/** Which materials are meant, when they are not ticked one by one. */
export const CHOICES = [
  ['ticked', 'The ticked ones'],
  ['missing', 'All that are missing'],
  ['ordered', 'All that are ordered'],
  ['sequences', 'All of the sequences'],
] as const;

/** The field that ticks a material; the antigen has no sequence. */
export const nameTick = ({ sequence_id: id }: Material): string => `material:${id ?? 'antigen'}`;

/** Throws `invalid_request` when nothing is meant. */
export function selectMaterials(form: Form, materials: readonly Material[]): Material[] {
  const choice = getField(form, 'which');
  const selected = materials.filter((material) => {
    if (choice === 'missing') return material.status === 'missing';
    if (choice === 'ordered') return material.status === 'ordered';
    if (choice === 'sequences') return material.kind === 'sequence';
    return getField(form, nameTick(material)) !== '';
  });
  if (selected.length > 0) return selected;
  const message = 'none is meant: tick materials of the list, or choose others';
  throw createInvalidFieldsFailure([{ path: 'which', message }]);
}

/** Builds the entries; an empty field keeps what is known. */
export function buildEntries(form: Form, materials: readonly Material[]): Record<string, unknown>[] {
  const amounts = readFilled(form, ['amount_ug', 'concentration_mg_per_ml']);
  const values = {
    status: getField(form, 'status'),
    ...readFilled(form, ['lot', 'expires_on']),
    ...Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, toNumber(text)])),
  };
  const materialForm = getField(form, 'form');
  return materials.map(({ sequence_id: id }) => ({
    sequence_id: id,
    ...values,
    ...(materialForm === '' || id === null ? {} : { form: materialForm }),
  }));
}

/** A text that is no number stays text, so that the operation names the problem. */
function toNumber(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

/** The problems of entries as problems of the fields, which all entries share, each with the name of its material. */
export function locateEntryProblems(error: unknown, materials: readonly Material[]): unknown {
  if (!(error instanceof Failure) || error.code !== 'invalid_request' || error.problems.length === 0)
    return error;
  const seen = new Set<string>();
  const problems = error.problems.flatMap(({ path, message }): Problem[] => {
    const [, index, field] = /materials[./[](\d+)[\]./]*(\w*)/.exec(path) ?? [];
    if (field === undefined) return [{ path, message }];
    const isShared = field !== 'status' && field !== 'sequence_id';
    const name = materials[Number(index)]?.name ?? '';
    const sentence = isShared || message.includes(name) ? message : `${name}: ${message}`;
    if (seen.has(field + sentence)) return [];
    seen.add(field + sentence);
    return [{ path: field === 'sequence_id' ? 'which' : field, message: sentence }];
  });
  return createInvalidFieldsFailure(problems);
}
