/** The files of a plan, sent or stored: plate maps, lists and worklists of one plate. */
import { fail } from '#core/failures.ts';
import { findShapeProblems } from './check-arrangement.ts';
import type { FileInput } from './plan-schemas.ts';
import type { RunPlan } from './plan.ts';
import { writeRunFile, type RunFileRequest } from './run-files/formats.ts';

const PROBLEMS_MAX = 200;

/** Throws `run_file_refused` with every reason why there is no such file. */
export function writePlanFile(plan: RunPlan, input: FileInput) {
  const misshapen = findShapeProblems(plan);
  if (misshapen.length > 0)
    throw refuse(misshapen.map(({ plate, well, message }) => [['plan', plate, well], message]));
  const written = writeRunFile(plan, input.plate, buildFileRequest(input));
  if ('problems' in written) throw refuse(written.problems.map((message) => [[input.kind], message]));
  return { file_name: written.fileName, media_type: written.mediaType, content: written.text };
}

type Refusal = readonly [place: readonly (string | null)[], message: string];

function refuse(refusals: readonly Refusal[]): Error {
  const reason = refusals[0]?.[1] ?? '';
  const others = refusals.length > 1 ? ` There are ${refusals.length} problems.` : '';
  const problems = refusals.slice(0, PROBLEMS_MAX).map(([place, message]) => ({
    path: place.filter((part) => part !== null).join('.'),
    message,
  }));
  return fail('run_file_refused', { reason: `${reason}${others}` }, { problems });
}

/** Throws `run_file_refused` where the kind needs a field that was not sent. */
function buildFileRequest(body: FileInput): RunFileRequest {
  const { kind } = body;
  switch (kind) {
    case 'plate_list':
    case 'plate_blocks':
    case 'loading_list':
      return { kind };
    case 'quantstudio_setup':
      return { kind, reporter: requireField(body, 'reporter') };
    case 'tecan_worklist':
      return { kind, liquidClass: requireField(body, 'liquid_class'), ...buildDispensing(body) };
    case 'echo_pick_list':
      return { kind, plateTypes: requireField(body, 'plate_types'), ...buildDispensing(body) };
    case 'hamilton_worklist':
      return { kind, ...buildDispensing(body) };
    default:
      return { kind: 'opentrons_csv', deck: requireField(body, 'deck'), ...buildDispensing(body) };
  }
}

function buildDispensing(body: FileInput) {
  const sources = requireField(body, 'sources').map(({ concentration_m: concentrationM, ...source }) => ({
    ...source,
    concentrationM,
  }));
  return { sources, volumeUl: requireField(body, 'volume_ul') };
}

function requireField<Name extends keyof FileInput>(
  body: FileInput,
  name: Name,
): Exclude<FileInput[Name], undefined> {
  const value = body[name];
  if (!isGiven(value)) throw refuse([[[name], `A file of the kind ${body.kind} needs ${name}: send it.`]]);
  return value;
}

function isGiven<Value>(value: Value): value is Exclude<Value, undefined> {
  return value !== undefined;
}
