/** Whether an analysis would take settings, before anything is analysed. */
import { AnalysisError } from '../failures/errors.ts';
import { resolveExpressionSettings } from './expression/settings.ts';
import { resolveFluorescenceSettings } from './fluorescence/settings.ts';
import { resolveMeltingSettings } from './thermostability/settings.ts';
import { resolveSettings } from './binding/settings.ts';

const RESOLVERS: Readonly<Record<string, (settings: Readonly<Record<string, unknown>>) => object>> = {
  affinity: resolveSettings,
  screening: resolveSettings,
  thermostability: resolveMeltingSettings,
  expression: resolveExpressionSettings,
  fluorescence: resolveFluorescenceSettings,
};

/** The sentence about the first setting that is refused; null when all are taken. */
export function refusedSetting(
  experimentType: string,
  settings: Readonly<Record<string, unknown>>,
): string | null {
  const resolve = RESOLVERS[experimentType];
  if (resolve === undefined) return `There is no analysis for experiments of type ${experimentType}.`;
  try {
    resolve(settings);
    return null;
  } catch (error) {
    if (error instanceof AnalysisError) return error.message;
    throw error;
  }
}
